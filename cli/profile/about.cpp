// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/about.h"

#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/profile/location.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace cli {
namespace {

constexpr std::string_view prefix = "profil.";
constexpr std::string_view separator = ": ";

uint64_t number(std::string_view text)
{
	uint64_t value = 0;

	std::from_chars(text.data(), text.data() + text.size(), value);
	return value;
}

void set_cause(Accounting &accounting, std::string_view key, std::string_view value)
{
	for (const Cause &cause : all_causes()) {
		if (key == cause.key)
			accounting.*cause.member = number(value);
	}
}

/** Parse "4711 1234 name": a thread's ID, samples, and name, which may have spaces. */
void add_thread(About &about, std::string_view value)
{
	const size_t samples = value.find(' ');
	const size_t name = samples == value.npos ? value.npos : value.find(' ', samples + 1);

	if (name != value.npos)
		about.threads.push_back({static_cast<pid_t>(number(value.substr(0, samples))),
					 std::string(value.substr(name + 1)),
					 number(value.substr(samples + 1, name - samples - 1))});
}

void add_event(std::vector<EventAccount> &events, const EventAccount &event)
{
	const auto same = std::find_if(events.begin(), events.end(),
				       [&](const EventAccount &one) { return one.name == event.name; });

	if (same == events.end())
		events.push_back(event);
	else
		same->add(event);
}

void set(About &about, std::string_view key, std::string_view value)
{
	if (key == "version")
		about.version = value;
	else if (key == "target")
		about.targets.emplace_back(value);
	else if (key == "processes")
		about.processes = number(value);
	else if (key == "ticks")
		about.accounting.ticks = number(value);
	else if (key == "sampler")
		about.sampler = value;
	else if (key == "lines_later")
		about.lines_later.emplace_back(value);
	else if (key == "thread")
		add_thread(about, value);
	else if (key == "event") {
		if (const std::optional<EventAccount> event = parse_event_account(value))
			add_event(about.events, *event);
	} else if (key == "slice_ms")
		about.slice_ms = number(value);
	else if (key == "lost_unowned")
		about.accounting.lost_unowned = number(value);
	else if (key == "forks_lost")
		about.accounting.forks_lost = number(value);
	else if (key == "cpu_ms")
		about.accounting.cpu_ms = number(value);
	else if (key == "idle_ms")
		about.accounting.idle_ms = number(value);
	else
		set_cause(about.accounting, key, value);
}

/** True if a label names interrupts, which belong to no process. */
bool is_interrupt(std::string_view name)
{
	return name == "[irq]" || name == "[softirq]";
}

/**
 * The processes that labels name, without interrupts, as "python3 (pid 4711)" or "python3": the one
 * with the most samples first.
 */
std::vector<std::string> samplers_of(const Profile &profile)
{
	using Name = std::pair<std::string_view, std::optional<int64_t>>;
	const size_t index = samples_index(profile);
	std::map<Name, uint64_t> counts;
	const Labels *last = nullptr;
	uint64_t *sum = nullptr; /* the samples of the process that *last names */

	for (const Sample &sample : profile.samples) {
		const uint64_t samples = samples_of(sample, index);

		if (!samples)
			continue;
		if (!last || !last->shares(sample.labels)) {
			const ProcessName process = process_of(sample);
			const bool named = !process.command.empty() && !is_interrupt(process.command);

			sum = named ? &counts[{process.command, process.pid}] : nullptr;
			last = &sample.labels;
		}
		if (sum)
			*sum = saturating_add(*sum, samples);
	}

	std::vector<std::pair<Name, uint64_t>> order(counts.begin(), counts.end());
	std::vector<std::string> texts;

	std::stable_sort(order.begin(), order.end(),
			 [](const auto &a, const auto &b) { return a.second > b.second; });
	for (const auto &[name, samples] : order)
		texts.push_back(name.second ? fmt::format("{} (pid {})", name.first, *name.second)
					    : std::string(name.first));
	return texts;
}

/** True if every target is a process of the only program with samples: targets also show PIDs. */
bool all_are(const std::vector<std::string> &targets, const std::vector<std::string> &samplers)
{
	return samplers.size() == 1 &&
	       std::all_of(targets.begin(), targets.end(), [&](const std::string &target) {
		       return target == samplers.front() || target.starts_with(samplers.front() + " (pid ");
	       });
}

} // namespace

std::vector<std::string> to_comments(const About &about)
{
	std::vector<std::string> comments;
	const auto add = [&](std::string_view key, const auto &value) {
		comments.push_back(fmt::format("{}{}{}{}", prefix, key, separator, value));
	};

	add("version", about.version);
	for (const std::string &target : about.targets)
		add("target", target);
	add("processes", about.processes);
	add("ticks", about.accounting.ticks);
	for (const Cause &cause : all_causes()) {
		if (about.accounting.*cause.member)
			add(cause.key, about.accounting.*cause.member);
	}
	if (about.accounting.lost_unowned)
		add("lost_unowned", about.accounting.lost_unowned);
	if (about.accounting.forks_lost)
		add("forks_lost", about.accounting.forks_lost);
	if (about.accounting.cpu_ms) {
		add("cpu_ms", about.accounting.cpu_ms);
		add("idle_ms", about.accounting.idle_ms);
	}
	if (about.slice_ms)
		add("slice_ms", about.slice_ms);
	if (!about.sampler.empty())
		add("sampler", about.sampler);
	for (const EventAccount &event : about.events)
		add("event", to_text(event));
	for (const std::string &object : about.lines_later)
		add("lines_later", object);
	for (const ThreadTotal &thread : about.threads)
		add("thread", fmt::format("{} {} {}", thread.tid, thread.samples, thread.name));
	return comments;
}

About from_comments(const std::vector<std::string> &comments)
{
	About about;

	for (const std::string_view comment : comments) {
		const size_t end = comment.find(separator);

		if (is_about(comment))
			set(about, comment.substr(prefix.size(), end - prefix.size()),
			    comment.substr(end + separator.size()));
	}
	return about;
}

bool is_about(std::string_view comment)
{
	return comment.starts_with(prefix) && comment.find(separator) != comment.npos;
}

About merge_abouts(std::span<const About> abouts)
{
	About sum = abouts.front();
	std::set<std::string> seen(sum.targets.begin(), sum.targets.end());
	std::set<std::string> later(sum.lines_later.begin(), sum.lines_later.end());
	ThreadTotals threads;

	for (const About &one : abouts) {
		for (const ThreadTotal &thread : one.threads)
			threads.add(thread.tid, thread.name, thread.samples);
	}
	sum.threads = threads.sorted();
	for (const About &one : abouts.subspan(1)) {
		if (one.version != sum.version)
			sum.version.clear();
		if (one.slice_ms != sum.slice_ms)
			sum.slice_ms = 0;
		/* If perf sampled one of them, the sum is not the module's alone. */
		if (sum.sampler.empty())
			sum.sampler = one.sampler;
		for (const std::string &target : one.targets) {
			if (seen.insert(target).second)
				sum.targets.push_back(target);
		}
		for (const std::string &object : one.lines_later) {
			if (later.insert(object).second)
				sum.lines_later.push_back(object);
		}
		sum.processes = saturating_add(sum.processes, one.processes);
		sum.accounting.add(one.accounting);
		for (const EventAccount &event : one.events)
			add_event(sum.events, event);
	}
	return sum;
}

std::string targets_text(const About &about, const Profile &profile)
{
	constexpr size_t most = 3;
	const std::vector<std::string> samplers = samplers_of(profile);
	/* Targets are attached processes.  They may have no samples, and may run other programs. */
	const bool attached = samplers.empty() || about.targets.empty() || all_are(about.targets, samplers);
	const std::vector<std::string> &named = attached ? about.targets : samplers;
	std::string text;

	for (size_t i = 0; i < std::min(named.size(), most); i++)
		text += (i ? ", " : "") + named[i];
	if (named.size() > most)
		text += fmt::format(" and {}", attached ? fmt::format("{} more", named.size() - most)
							: counted_noun(named.size() - most, "more program"));
	if (about.accounting.cpu_ms || about.processes > named.size())
		text += (text.empty() ? "" : "; ") + processes_text(about.processes, about.accounting);
	return text;
}

std::string profile_rate_text(const Profile &profile)
{
	if (profile.period <= 0 || profile.period_type.unit != "nanoseconds")
		return {};
	return rate_text(1e9 / static_cast<double>(profile.period));
}

bool has_period_of_events(const Profile &profile)
{
	return profile.period > 0 && profile.period_type.unit == "count";
}

std::vector<std::string> profile_accounting_lines(const Profile &profile)
{
	const About about = from_comments(profile.comments);
	/* perf does not report ticks that were late, or that came with interrupts off. */
	const std::string_view of = !about.sampler.empty()	    ? "that perf has reported"
				    : has_period_of_events(profile) ? "of events"
								    : "of the clock";
	std::vector<std::string> lines = accounting_lines(about.accounting, of);

	for (std::string &line : event_lines(about))
		lines.push_back(std::move(line));
	return lines;
}

std::vector<std::string> event_lines(const About &about)
{
	std::vector<std::string> lines;

	for (const EventAccount &event : about.events) {
		for (std::string &line : event_account_lines(event))
			lines.push_back(std::move(line));
	}
	return lines;
}

std::string profile_duration_text(const Profile &profile)
{
	if (profile.duration_nanos <= 0)
		return {};
	return duration_text(static_cast<double>(profile.duration_nanos) / 1e9);
}

} // namespace cli
