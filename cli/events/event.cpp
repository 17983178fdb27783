// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/event.h"

#include "cli/base/whole_number.h"
#include "cli/events/line.h"
#include "cli/events/pmu.h"
#include "cli/events/words.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <linux/hw_breakpoint.h>

namespace cli {
namespace {

/* Hardware events occur all the time: sampling each one would cost more than the work itself. */
constexpr uint64_t hardware_period = 1'000'003;
constexpr uint64_t rare_hardware_period = 10'007;

/** perf's names of caches and of operations on them, indexed by their numbers. */
constexpr std::array<std::string_view, 7> caches = {"L1-dcache", "L1-icache", "LLC", "dTLB",
						    "iTLB",	 "branch",    "node"};
constexpr std::array<std::string_view, 3> operations = {"load", "store", "prefetch"};

uint64_t cache_config(size_t cache, size_t operation, bool miss)
{
	return cache | operation << 8 | static_cast<uint64_t>(miss ? 1 : 0) << 16;
}

bool set_cache(std::string_view name, Event &event)
{
	for (size_t cache = 0; cache < caches.size(); cache++) {
		for (size_t operation = 0; operation < operations.size(); operation++) {
			const std::string both = fmt::format("{}-{}", caches[cache], operations[operation]);

			if (name != both + "s" && name != both + "-misses")
				continue;
			event.attr.type = PERF_TYPE_HW_CACHE;
			event.attr.config = cache_config(cache, operation, name.ends_with("-misses"));
			event.period = rare_hardware_period;
			return true;
		}
	}
	return false;
}

bool set_known(std::string_view name, Event &event)
{
	const EventName *const known = find_event_name(name);

	if (!known)
		return set_cache(name, event);
	event.attr.type = known->type;
	event.attr.config = known->config;
	if (known->type == PERF_TYPE_HARDWARE)
		event.period = name.ends_with("misses") ? rare_hardware_period : hardware_period;
	return true;
}

bool set_raw(std::string_view name, Event &event)
{
	if (!name.starts_with('r'))
		return false;

	const std::optional<uint64_t> config = hexadecimal(name.substr(1));

	if (!config || name.substr(1).starts_with("0x"))
		return false;
	event.attr.type = PERF_TYPE_RAW;
	event.attr.config = *config;
	event.period = hardware_period;
	return true;
}

/** Parses "mem:ADDRESS[/LENGTH][:ACCESS]"; @p rest is the part after "mem:". */
Outcome set_breakpoint(std::string_view &rest, Event &event)
{
	std::string_view place = take_until(rest, ':');
	const std::string_view access = rest.substr(0, rest.find_first_not_of("rwx"));
	const std::optional<uint64_t> address = hexadecimal(take_until(place, '/'));
	uint64_t length = sizeof(long);

	if (!address)
		return Error{"the address is not hexadecimal (mem:0x601040)"};
	if (!place.empty()) {
		const auto given = whole_number<uint64_t>(place);

		if (!given || (*given != 1 && *given != 2 && *given != 4 && *given != 8))
			return Error{"the length of a breakpoint must be 1, 2, 4 or 8 bytes"};
		length = *given;
	}
	event.attr.type = PERF_TYPE_BREAKPOINT;
	event.attr.bp_addr = *address;
	event.attr.bp_len = length;
	event.attr.bp_type = 0;
	for (const char kind : access)
		event.attr.bp_type |= kind == 'r'   ? HW_BREAKPOINT_R
				      : kind == 'w' ? HW_BREAKPOINT_W
						    : HW_BREAKPOINT_X;
	if (access.empty())
		event.attr.bp_type = HW_BREAKPOINT_RW;
	rest.remove_prefix(access.size());
	if (rest.starts_with(':'))
		rest.remove_prefix(1);
	return Done();
}

/** Sets the tracepoint "SYSTEM:NAME", if it exists. */
Outcome set_tracepoint(std::string_view system, std::string_view name, Event &event)
{
	for (const char *root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
		const std::string path = fmt::format("{}/events/{}/{}/id", root, system, name);
		const std::optional<uint64_t> number = number_in(path);

		if (!number)
			continue;
		event.attr.type = PERF_TYPE_TRACEPOINT;
		event.attr.config = *number;
		return Done();
	}
	return Error{"there is no such tracepoint below /sys/kernel/tracing/events, or it may not be read"};
}

uint64_t default_period(std::string_view name)
{
	return name.find("miss") == name.npos ? hardware_period : rare_hardware_period;
}

void choose(const PmuTerms &terms, Event &event)
{
	event.attr.type = terms.attr.type;
	event.attr.config = terms.attr.config;
	event.attr.config1 = terms.attr.config1;
	event.attr.config2 = terms.attr.config2;
	event.period = terms.period.value_or(default_period(event.name));
	event.has_period = terms.period.has_value();
	if (!terms.name.empty())
		event.name = terms.name;
}

/** Parses "PMU/TERM,.../rest"; @p slash is the index of the first slash.  Sets @p rest. */
Outcome set_pmu(std::string_view text, size_t slash, std::string_view &rest, Event &event)
{
	const size_t end = text.find('/', slash + 1);

	if (end == text.npos)
		return Error{"the second slash is missing, as in cpu/event=0x3c/"};
	event.name = text.substr(0, end + 1);
	rest = text.substr(end + 1);
	if (rest.starts_with(':'))
		rest.remove_prefix(1);

	const Result<PmuTerms> terms =
		parse_pmu_terms(text.substr(0, slash), text.substr(slash + 1, end - slash - 1));

	if (!terms)
		return terms.error();
	choose(*terms, event);
	return Done();
}

/** Set the event with that name ("mem-loads"), from the first PMU that has one. */
bool set_pmu_name(std::string_view name, Event &event)
{
	for (const PmuEvent &one : pmu_events()) {
		const Result<PmuTerms> terms =
			one.name == name ? parse_pmu_terms(one.pmu, name) : Error{"another event"};

		if (!terms)
			continue;
		choose(*terms, event);
		return true;
	}
	return false;
}

/** Parse the modifiers and the period, which colons separate. */
Outcome set_details(std::string_view rest, Event &event)
{
	bool user = false, kernel = false;

	while (!rest.empty()) {
		const std::string_view part = take_until(rest, ':');

		if (const auto period = whole_number<uint64_t>(part); period && *period) {
			event.period = *period;
			event.has_period = true;
			continue;
		}
		event.name += fmt::format(":{}", part);
		for (const char letter : part) {
			if (letter != 'u' && letter != 'k' && letter != 'p')
				return Error{fmt::format("'{}' is neither a period nor modifiers (u, k, p)",
							 part)};
			user |= letter == 'u';
			kernel |= letter == 'k';
			event.attr.precise_ip += letter == 'p';
		}
	}
	event.attr.exclude_user = kernel && !user;
	event.attr.exclude_kernel = user && !kernel;
	return Done();
}

Result<Event> parse_event(std::string_view text)
{
	std::string_view rest = text;
	const std::string_view name = take_until(rest, ':');
	const auto wrong = [&](const std::string &why) {
		return Error{fmt::format("event '{}': {}", text, why)};
	};
	Event event;

	event.attr.size = sizeof(event.attr);
	event.name = name;
	if (const size_t mark = text.find_first_of("/:"); mark != text.npos && text[mark] == '/') {
		if (const Outcome set = set_pmu(text, mark, rest, event); !set)
			return wrong(set.error().text);
	} else if (name == "mem") {
		const std::string_view place = rest;

		if (const Outcome set = set_breakpoint(rest, event); !set)
			return wrong(set.error().text);
		event.name += fmt::format(":{}", place.substr(0, place.size() - rest.size()));
		if (event.name.ends_with(':'))
			event.name.pop_back();
	} else if (!set_known(name, event) && !set_raw(name, event) && !set_pmu_name(name, event)) {
		if (name == "cpu-clock" || name == "task-clock")
			return wrong("CPU time is sampled without -e (-F sets how often)");
		if (rest.empty())
			return wrong("there is no such event (profil list shows the available events)");

		const std::string_view point = take_until(rest, ':');

		if (const Outcome set = set_tracepoint(name, point, event); !set)
			return wrong(set.error().text);
		event.name += fmt::format(":{}", point);
	}
	if (const Outcome set = set_details(rest, event); !set)
		return wrong(set.error().text);
	return event;
}

/** Takes the first event of a list.  The commas inside "PMU/TERM,TERM/" do not end it. */
std::string_view take_event(std::string_view &list)
{
	const size_t mark = list.find_first_of("/:,");
	const size_t terms = mark != list.npos && list[mark] == '/' ? list.find('/', mark + 1) : 0;
	const std::string_view event = list.substr(0, list.find(',', terms));

	list.remove_prefix(std::min(event.size() + 1, list.size()));
	return event;
}

} // namespace

std::string why_event_is_refused(const perf_event_attr &event, int error)
{
	switch (error) {
	case EOPNOTSUPP:
		return "breakpoints can be sampled on x86 only: on other machines, a program would "
		       "never get past the instruction";
	case EPERM:
		return "permission denied: this event is counted on every CPU, which needs CAP_PERFMON "
		       "(only software events, such as page-faults, do not)";
	case EACCES:
		return event.exclude_user
			       ? "permission denied: sampling only the kernel needs the right to see kernel "
				 "addresses (CAP_PERFMON, or kernel.perf_event_paranoid of 1 or less)"
			       : "";
	default: return {};
	}
}

bool is_of_hardware(const Event &event)
{
	switch (event.attr.type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT: return false;
	default: return true;
	}
}

const std::vector<EventName> &event_names()
{
	static const std::vector<EventName> names = {
		{"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"instructions", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		{"cache-references", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
		{"cache-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
		{"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		{"branch-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
		{"bus-cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
		{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
		{"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
		{"ref-cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
		{"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"minor-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
		{"major-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
		{"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
		{"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
		{"alignment-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
		{"emulation-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	};

	return names;
}

const EventName *find_event_name(std::string_view name)
{
	const std::vector<EventName> &all = event_names();
	const auto known = std::find_if(all.begin(), all.end(), [&](const EventName &one) {
		return one.name == name || (!one.alias.empty() && one.alias == name);
	});

	return known == all.end() ? nullptr : &*known;
}

Result<std::vector<Event>> parse_events(std::string_view text)
{
	std::vector<Event> events;

	if (text.empty())
		return Error{"an event's name is empty (profil list shows the available events)"};
	while (!text.empty()) {
		Result<Event> event = parse_event(take_event(text));

		if (!event)
			return event.error();
		if (std::any_of(events.begin(), events.end(),
				[&](const Event &other) { return other.name == event->name; }))
			return Error{fmt::format("event '{}' is given twice", event->name)};
		events.push_back(*std::move(event));
	}
	return events;
}

} // namespace cli
