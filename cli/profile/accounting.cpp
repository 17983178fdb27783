// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/accounting.h"

#include "cli/base/numbers.h"
#include "cli/base/saturate.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace cli {
namespace {

constexpr auto causes = std::to_array<Cause>({
	{"counted", &Accounting::counted, "counted"},
	{"kernel", &Accounting::kernel, in_kernel_not_counted},
	{"outside", &Accounting::outside, "outside all counted text"},
	{"no_user_pc", &Accounting::no_user_pc, "in kernel workers, which have no user PC"},
	{"saturated", &Accounting::saturated, "at a counter's limit"},
	{"off", &Accounting::off, "while the profile was off"},
	{"lost_late", &Accounting::lost_late, "lost: the clock was late"},
	{"lost_contended", &Accounting::lost_contended, "lost: the counter was contended"},
	{"lost_full", &Accounting::lost_full, "lost: no room was left (--max-memory gives more)"},
});

double percent(uint64_t part, uint64_t whole)
{
	return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

void Accounting::add(const profil_status &status)
{
	ticks += status.ticks;
	counted += status.counted;
	outside += status.outside;
	saturated += status.saturated;
	kernel += status.kernel;
	no_user_pc += status.no_user_pc;
	off += status.off;
	lost_late += status.lost_late;
	lost_contended += status.lost_contended;
	lost_full += status.lost_full;
	forks_lost += status.forks_lost;
}

void Accounting::add(const Accounting &other)
{
	ticks = saturating_add(ticks, other.ticks);
	lost_unowned = saturating_add(lost_unowned, other.lost_unowned);
	forks_lost = saturating_add(forks_lost, other.forks_lost);
	cpu_ms = saturating_add(cpu_ms, other.cpu_ms);
	idle_ms = saturating_add(idle_ms, other.idle_ms);
	for (const Cause &cause : causes)
		this->*cause.member = saturating_add(this->*cause.member, other.*cause.member);
}

Accounting Accounting::since(const Accounting &earlier) const
{
	Accounting difference = *this;

	for (const Cause &cause : causes)
		difference.*cause.member -= earlier.*cause.member;
	difference.ticks -= earlier.ticks;
	difference.lost_unowned -= earlier.lost_unowned;
	difference.forks_lost -= earlier.forks_lost;
	difference.cpu_ms -= earlier.cpu_ms;
	difference.idle_ms -= earlier.idle_ms;
	return difference;
}

std::span<const Cause> all_causes()
{
	return causes;
}

std::vector<std::string> accounting_lines(const Accounting &accounting, std::string_view of,
					  std::string_view kernel)
{
	const std::string total = grouped(accounting.ticks);
	std::vector<std::string> lines;

	if (!accounting.ticks) {
		if (accounting.lost_unowned)
			lines.push_back(fmt::format("{} {}", grouped(accounting.lost_unowned),
						    lost_of_unknown_owner));
		return lines;
	}
	lines.push_back(
		fmt::format("{}  100.00 %  {} {}", total, accounting.ticks == 1 ? "tick" : "ticks", of));
	for (const Cause &cause : causes) {
		const uint64_t ticks = accounting.*cause.member;

		if (ticks)
			lines.push_back(
				fmt::format("{:>{}}  {:6.2f} %  {}", grouped(ticks), total.size(),
					    percent(ticks, accounting.ticks),
					    cause.member == &Accounting::kernel ? kernel : cause.words));
	}
	if (accounting.lost_unowned)
		lines.push_back(fmt::format("{:>{}}            {}", grouped(accounting.lost_unowned),
					    total.size(), lost_of_unknown_owner));
	if (accounting.forks_lost)
		lines.push_back(fmt::format("{:>{}}            {} not followed: their ticks are not included",
					    grouped(accounting.forks_lost), total.size(),
					    accounting.forks_lost == 1 ? "child" : "children"));
	if (accounting.cpu_ms)
		lines.push_back(fmt::format("{:>{}}  {:6.2f} %  of CPU time was idle", "", total.size(),
					    percent(accounting.idle_ms, accounting.cpu_ms)));
	return lines;
}

std::string accounting_line(const Accounting &accounting, std::string_view of)
{
	std::string text = counted_noun(accounting.ticks, "tick").append(of);
	const char *separator = ": ";
	const auto add = [&](const std::string &part) { text += std::exchange(separator, ", ") + part; };

	for (const Cause &cause : causes) {
		if (const uint64_t ticks = accounting.*cause.member)
			add(fmt::format("{:.2f} % {}", percent(ticks, accounting.ticks), cause.words));
	}
	if (accounting.forks_lost)
		add(fmt::format("{} not followed", accounting.forks_lost == 1
							   ? "a child"
							   : grouped(accounting.forks_lost) + " children"));
	if (accounting.lost_unowned)
		text += fmt::format("; {} {}", grouped(accounting.lost_unowned), lost_of_unknown_owner);
	if (accounting.cpu_ms)
		text += fmt::format("; {:.2f} % of CPU time was idle",
				    percent(accounting.idle_ms, accounting.cpu_ms));
	return text;
}

std::string processes_text(uint64_t processes, const Accounting &accounting)
{
	return accounting.cpu_ms ? "all processes" : counted_noun(processes, "process");
}

} // namespace cli
