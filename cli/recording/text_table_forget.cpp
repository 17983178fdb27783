// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/text_table.h"

#include "cli/process/process.h"

namespace cli {
namespace {

/* A tick may count for a process that has ended until 100 ms later. */
constexpr std::chrono::seconds rest{1};

} // namespace

bool TextTable::has_ended(uint32_t key, const Number &number) const
{
	profil_describe about;

	if (number.kind == PROFIL_KIND_OWNER)
		return number.pid && (!ask(key, about) || about.state == PROFIL_OWNER_ENDED);
	if (!number.code || !number.code->pid)
		return false;
	return cli::has_ended(number.code->pid) ||
	       (number.code->start && program_start(number.code->pid) != number.code->start);
}

/** The owners and the memory that have ended long enough ago. */
std::set<uint32_t> TextTable::find_ended(Clock::time_point now)
{
	std::set<uint32_t> doomed;

	for (auto &[key, number] : numbers_) {
		if (number.ended && now - *number.ended >= rest)
			doomed.insert(key);
		else if (!number.ended && has_ended(key, number))
			number.ended = now;
	}
	return doomed;
}

void TextTable::add_cells(std::set<uint32_t> &doomed) const
{
	std::set<uint32_t> cells;

	for (const auto &[key, number] : numbers_) {
		if (number.kind == PROFIL_KIND_CELL &&
		    (doomed.contains(number.owner) || doomed.contains(number.text)))
			cells.insert(key);
	}
	doomed.merge(cells);
}

/** Keep the names of the rows that there are, and of processes that may get some. */
void TextTable::forget_owners(const Tally &tally)
{
	std::set<uint32_t> kept = tally.owners();

	for (const auto &[key, number] : numbers_) {
		if (number.kind == PROFIL_KIND_OWNER)
			kept.insert(number.program);
	}
	owners_.keep_only(kept);
}

void TextTable::forget_ended(Clock::time_point now, const Tally &tally)
{
	std::set<uint32_t> doomed = find_ended(now);

	if (doomed.empty())
		return;
	if (filter_)
		filter_->forget(doomed);
	add_cells(doomed);
	for (const uint32_t key : doomed) {
		const Number *const number = find(key);
		profil_describe about;

		if (number->code && cli::has_ended(number->code->pid))
			objects_.forget_memory(number->code->pid);
		numbers_.erase(key);
		ask(key, about, PROFIL_DESCRIBE_FORGET);
	}
	objects_.forget_unused();
	forget_owners(tally);
}

} // namespace cli
