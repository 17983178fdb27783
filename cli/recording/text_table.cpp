// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/text_table.h"

#include "cli/base/characters.h"
#include "cli/process/process.h"
#include "cli/profile/location.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace cli {
namespace {

/* The kernel has this number in every recording. */
constexpr uint32_t kernel_number = 1;
/* A tick may still count for a process up to 100 ms after its end. */
constexpr std::chrono::seconds rest{1};

bool is_interrupts(const profil_describe &owner)
{
	return owner.state == PROFIL_OWNER_IRQ || owner.state == PROFIL_OWNER_SOFTIRQ;
}

std::string_view command_in(const profil_describe &owner)
{
	return {owner.name, strnlen(owner.name, sizeof(owner.name))};
}

OwnerFacts facts_in(const profil_describe &owner)
{
	return {std::string(command_in(owner)),	  owner.pid, owner.uid, owner.cgroup, owner.parent,
		owner.state == PROFIL_OWNER_ENDED};
}

} // namespace

std::string owner_name(std::string_view command, std::string_view path)
{
	if (!command.empty())
		return std::string(command);
	return std::string(path.empty() ? unknown_name : base_name(path));
}

std::string kernel_thread_name(std::string_view command)
{
	/* Each threaded interrupt has its own thread; "[irq]" alone is the name for hard interrupts. */
	if (!command.starts_with("irq/"))
		command = command.substr(0, command.find('/'));
	return fmt::format("[{}]", command);
}

void TextTable::begin(uint32_t profile, bool with_kernel)
{
	profil_describe about;

	profile_ = profile;
	with_kernel_ = with_kernel;
	if (with_kernel && ask(kernel_number, about))
		kernel_.begin(about.base);
}

void TextTable::learn_module(uint32_t number, const profil_describe &about, const char *name)
{
	kernel_.set(number, {name, about.base, about.bytes, about.first, about.last});
}

/** Kernel modules may have been removed; the recording forgets those without ticks. */
void TextTable::look_at_modules()
{
	profil_describe about;

	for (const auto &[number, life] : std::map<uint32_t, ModuleLife>(kernel_.lives())) {
		if (life.last != UINT32_MAX)
			continue;
		if (ask(number, about))
			learn_module(number, about, life.name.c_str());
		else if (ask(0, about)) /* the recording itself still exists */
			kernel_.forget(number);
	}
}

void TextTable::tell_apart(bool per_process, bool per_cgroup)
{
	per_process_ = per_process;
	if (per_cgroup)
		cgroups_ = std::make_unique<CgroupPaths>(std::string(cgroup_mount));
}

void TextTable::select(Criteria criteria, bool follow)
{
	filter_ = std::make_unique<OwnerFilter>(std::move(criteria), follow,
						[this](uint32_t owner) { return facts_of(owner); });
}

TextTable::Number *TextTable::find(uint32_t number)
{
	const auto place = numbers_.find(number);

	return place == numbers_.end() ? nullptr : &place->second;
}

bool TextTable::ask(uint32_t number, profil_describe &about, uint32_t flags) const
{
	about = {};
	about.size = sizeof(about);
	about.flags = flags;
	about.profile = profile_;
	about.number = number;
	return profile_ && !profil_session_describe(session_.get(), &about);
}

/** A process may have changed its name since it executed the program. */
std::optional<OwnerFacts> TextTable::facts_of(uint32_t owner) const
{
	profil_describe about;

	if (!ask(owner, about))
		return std::nullopt;

	const std::optional<ProcessFacts> now =
		about.pid && about.state == PROFIL_OWNER_LIVE ? process_facts(about.pid) : std::nullopt;

	/* If the owner is still live, PID and name are its own, not the next program's. */
	if (now && ask(owner, about) && about.state == PROFIL_OWNER_LIVE)
		return OwnerFacts{now->name, about.pid, about.uid, about.cgroup, about.parent, false};
	return facts_in(about);
}

TextTable::Number TextTable::describe(uint32_t number)
{
	std::array<char, PATH_MAX> path;
	profil_describe about = {};
	Number known;

	about.size = sizeof(about);
	about.profile = profile_;
	about.number = number;
	about.path = reinterpret_cast<uintptr_t>(path.data());
	about.path_size = path.size();
	if (profil_session_describe(session_.get(), &about))
		return known;
	known.kind = about.kind;
	known.text = about.text;
	known.owner = about.owner;
	if (about.kind == PROFIL_KIND_FILE) {
		known.facts = {about.inode, about.bytes, about.modified};
		known.object = file_object(about, about.path_size ? path.data() : "[file]");
		/* Release the file, or umount(2) of its file system fails. */
		about.flags = PROFIL_DESCRIBE_RELEASE;
		about.path = about.path_size = 0;
		profil_session_describe(session_.get(), &about);
	} else if (about.kind == PROFIL_KIND_VDSO) {
		known.object = vdso_object(about.bytes);
	} else if (about.kind == PROFIL_KIND_MEMORY) {
		known.code = std::make_unique<Code>();
		known.code->pid = about.pid;
		known.code->base = about.base;
		known.code->start = program_start(about.pid);
		look_at(*known.code);
	} else if (about.kind == PROFIL_KIND_MODULE) {
		learn_module(number, about, path.data());
	} else if (about.kind == PROFIL_KIND_OWNER) {
		const Number *const program = find(about.text);
		const bool process = about.text != kernel_number && !is_interrupts(about);

		known.program = program_of(about);
		known.pid = about.pid;
		known.nobody = process && !about.name[0] && program && program->kind == PROFIL_KIND_UNKNOWN;
		if (program && program->object)
			programs_.insert(program->object);
		if (filter_ && process)
			filter_->add(number, facts_in(about));
	}
	return known;
}

/** An owner's file has a lower number than the owner, so the file has been described already. */
uint32_t TextTable::program_of(const profil_describe &owner)
{
	const Number *const text = find(owner.text);
	const pid_t pid = per_process_ ? owner.pid : 0;

	if (is_interrupts(owner))
		return owners_.number(0, owner.state == PROFIL_OWNER_IRQ ? "[irq]" : "[softirq]");
	if (owner.text == kernel_number)
		return owners_.number(pid, kernel_thread_name(command_in(owner)));
	return owners_.number(pid,
			      owner_name(command_in(owner), text && text->object ? text->object->name : ""),
			      cgroups_ ? cgroups_->path(owner.cgroup) : "");
}

uint32_t TextTable::program_of_cell(const Number &cell) const
{
	const auto owner = numbers_.find(cell.owner);

	return owner != numbers_.end() ? owner->second.program : 0;
}

void TextTable::learn()
{
	profil_describe about;

	if (!ask(0, about))
		return;
	in_use_ = about.in_use;
	kernel_.look();
	highest_ = about.highest;
	while (last_ != about.numbers) {
		last_ = last_ == about.highest ? 1 : last_ + 1;
		/* Numbers wrap around, skipping those in use.  The kernel may reuse a module's. */
		const Number *const known = find(last_);
		if (known && known->kind != PROFIL_KIND_MODULE)
			continue;
		if (Number number = describe(last_); number.kind)
			numbers_[last_] = std::move(number);
	}
}

void TextTable::begin_round()
{
	look_at_modules();
	if (filter_)
		filter_->begin_round();
}

/** True if a cell's owner matches.  Also adds the samples to selected_. */
bool TextTable::is_selected(const Number &cell, const Number &text, uint64_t samples)
{
	const Number *const owner = find(cell.owner);

	if (filter_->matches(cell.owner)) {
		(text.kind == PROFIL_KIND_KERNEL ? selected_.kernel : selected_.counted) += samples;
		return true;
	}
	if (!owner || owner->nobody)
		selected_.unowned += samples;
	return false;
}

/** A thread that has ended gets the name of its program. */
void TextTable::count_thread(const Number &cell, pid_t tid, uint64_t samples, ThreadTotals &threads)
{
	const Owner *const owner = owners_.find(program_of_cell(cell));
	const std::optional<ProcessFacts> now = tid ? process_facts(tid) : std::nullopt;

	if (filter_ && !filter_->matches(cell.owner))
		return;
	threads.add(tid, now ? now->name : owner ? owner->name : owner_name({}, {}), samples);
}

void TextTable::count(uint64_t key, uint64_t samples, Tally &tally, ThreadTotals &threads)
{
	const uint64_t cell = key >> PROFIL_COUNT_SHIFT;
	const uint64_t offset = key & ((uint64_t{1} << PROFIL_COUNT_SHIFT) - 1);

	/* The cell may be newer than the last learn(). */
	if (cell > last_)
		learn();

	const Number *const both = find(static_cast<uint32_t>(cell));
	Number *const found = both ? find(both->text) : nullptr;

	if (!found) {
		if (filter_)
			selected_.unowned += samples;
		else
			tally.add_unknown({0, owners_.number(0, owner_name({}, {}))}, samples);
		return;
	}
	if (found->kind == PROFIL_KIND_THREADS) {
		count_thread(*both, static_cast<pid_t>(offset), samples, threads);
		return;
	}
	if (filter_ && !is_selected(*both, *found, samples))
		return;

	Number &text = *found;
	const uint32_t program = program_of_cell(*both);

	if (text.kind == PROFIL_KIND_KERNEL) {
		if (!with_kernel_)
			return;

		const KernelPlace place = kernel_.find(offset);

		tally.add(place.object, {place.address, program}, samples);
	} else if (text.code) {
		const uint64_t address = text.code->base + offset;

		tally.add(object_at(*text.code, address), {address, program}, samples);
	} else if (text.object) {
		open_again(text);

		const uint64_t address = text.object->link_address(offset);

		if (text.object->segments.empty())
			remember_page(*text.object, address);
		tally.add(text.object, {address, program}, samples);
	} else {
		tally.add_unknown({0, program}, samples);
	}
}

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

/** The numbers of owners and memory whose end was found long enough ago. */
std::set<uint32_t> TextTable::find_ended(Clock::time_point now)
{
	std::set<uint32_t> doomed;

	for (auto &[key, number] : numbers_) {
		/* A process may execute the same program again, under the same number. */
		if (!has_ended(key, number))
			number.ended.reset();
		else if (!number.ended)
			number.ended = now;
		else if (now - *number.ended >= rest)
			doomed.insert(key);
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

/** Keep the names of existing rows, and of processes that may still get a row. */
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
