// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/perf_script.h"

#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/profile/perf_script_line.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace cli {
namespace {

/* The size of a map's entry, without the memory that it points to. */
constexpr size_t node_bytes = 64;
/* In a file with more events than this, the text taken for events is something else. */
constexpr size_t most_events = 64;
constexpr double nanoseconds = 1e9;

/** The text exceeds the limit. */
class TooLarge : public std::exception {};

class Reader {
public:
	Reader(std::string_view text, size_t most_memory) : text_(text), left_(most_memory) {}

	Result<Profile> read()
	{
		while (!text_.empty()) {
			const std::string_view line = take_line(text_);

			line_++;
			if (without_blanks(line).empty() || line.front() == '#')
				continue;

			const std::optional<PerfHead> head = perf_head(line);

			if (!head)
				return Error{fmt::format("line {} does not begin as perf script prints it "
							 "without options (comm, "
							 "thread, time, event)",
							 line_)};
			if (const Outcome taken = record(*head); !taken)
				return taken.error();
		}
		finish();
		return std::move(profile_);
	}

private:
	using Stack = std::vector<size_t>;
	using SampleKey = std::tuple<Stack, std::string, int64_t>;

	void take(size_t memory)
	{
		if (memory > left_)
			throw TooLarge();
		left_ -= memory;
	}

	Outcome record(const PerfHead &head)
	{
		const std::optional<size_t> event = event_of(head);
		Stack stack;

		if (!event)
			return Error{fmt::format("line {}: more than {} events", line_, most_events)};
		if (const auto place = perf_place(head.rest))
			add_place({&*place, 1}, stack);
		std::vector<PerfPlace> inlined;

		while (!text_.empty()) {
			std::string_view after = text_;
			const std::string_view line = take_line(after);

			if (without_blanks(line).empty() || !is_blank(line.front()) || perf_head(line))
				break;
			text_ = after;
			line_++;
			/* Other lines, such as source lines, belong to the place before them. */
			if (const auto place = perf_place(line)) {
				inlined.push_back(*place);
				if (!place->inlined)
					add_place(std::exchange(inlined, {}), stack);
			}
		}
		/* A sample without a known place counts as well. */
		if (stack.empty())
			add_place(std::array{PerfPlace{}}, stack);
		count(head, *event, std::move(stack));
		return Done();
	}

	std::optional<size_t> event_of(const PerfHead &head)
	{
		const auto found = std::find(events_.begin(), events_.end(), head.event);

		if (found != events_.end())
			return static_cast<size_t>(found - events_.begin());
		if (events_.size() == most_events)
			return std::nullopt;
		take(head.event.size());
		events_.emplace_back(head.event);
		return events_.size() - 1;
	}

	/** @param places innermost inlined function first, then the functions that contain it. */
	void add_place(std::span<const PerfPlace> places, Stack &stack)
	{
		const PerfPlace &own = places.back();
		std::vector<Line> lines;

		for (const PerfPlace &place : places) {
			if (!place.symbol.empty())
				lines.push_back({function_of(place.symbol), 0});
		}

		std::vector<size_t> names;

		for (const Line &line : lines)
			names.push_back(line.function);

		const std::optional<size_t> mapping = mapping_of(own.inlined ? "" : own.object);
		const auto [found, fresh] =
			locations_.try_emplace({own.address, mapping.value_or(SIZE_MAX), std::move(names)},
					       profile_.locations.size());

		if (fresh) {
			take(sizeof(Location) + node_bytes + 2 * lines.size() * sizeof(Line));
			profile_.locations.push_back({mapping, own.address, std::move(lines)});
		}
		stack.push_back(found->second);
	}

	size_t function_of(std::string_view symbol)
	{
		const auto found = functions_.find(symbol);

		if (found != functions_.end())
			return found->second;
		take(sizeof(Function) + node_bytes + 3 * symbol.size());

		Function &function = profile_.functions.emplace_back();

		function.name = function.system_name = symbol;
		return functions_.emplace(symbol, profile_.functions.size() - 1).first->second;
	}

	std::optional<size_t> mapping_of(std::string_view object)
	{
		if (object.empty())
			return std::nullopt;

		const auto found = mappings_.find(object);

		if (found != mappings_.end())
			return found->second;
		take(sizeof(ProfileMapping) + node_bytes + 2 * object.size());

		ProfileMapping &mapping = profile_.mappings.emplace_back();

		mapping.filename = object;
		mapping.has_functions = true;
		return mappings_.emplace(object, profile_.mappings.size() - 1).first->second;
	}

	void count(const PerfHead &head, size_t event, Stack stack)
	{
		const size_t bytes = stack.size() * sizeof(size_t) + head.command.size();
		const auto [found, fresh] = samples_.try_emplace(
			{std::move(stack), std::string(head.command), head.pid.value_or(0)});
		std::vector<Counted> &counts = found->second;

		if (fresh)
			take(2 * bytes + node_bytes + sizeof(Sample) + 2 * sizeof(Label));
		if (counts.size() <= event) {
			take((event + 1 - counts.size()) * sizeof(Counted) * 2);
			counts.resize(event + 1);
		}
		counts[event].samples++;
		counts[event].periods =
			saturating_add(counts[event].periods, static_cast<uint64_t>(head.period));
		if (events_of_.size() <= event)
			events_of_.resize(event + 1);
		events_of_[event]++;
		first_ = any_ ? std::min(first_, head.time) : head.time;
		last_ = any_ ? std::max(last_, head.time) : head.time;
		one_period_ = !any_ || one_period_ == head.period ? head.period : 0;
		any_ = true;
	}

	/** perf's periods of these events are in nanoseconds. */
	static bool is_clock(std::string_view event)
	{
		return event.starts_with("cpu-clock") || event.starts_with("task-clock");
	}

	static int64_t limited(uint64_t value)
	{
		return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
	}

	void finish()
	{
		std::vector<size_t> order(events_.size());

		for (size_t i = 0; i < order.size(); i++)
			order[i] = i;
		std::stable_sort(order.begin(), order.end(),
				 [&](size_t a, size_t b) { return events_of_[a] > events_of_[b]; });
		if (order.size() < 2)
			profile_.sample_types.push_back({"samples", "count"});
		for (const size_t event : order)
			profile_.sample_types.push_back(
				{events_[event], is_clock(events_[event]) ? "nanoseconds" : "count"});
		for (auto &[key, counts] : samples_)
			add_sample(key, counts, order);
		if (order.size() == 1 && is_clock(events_.front()) && one_period_) {
			profile_.period_type = {"cpu", "nanoseconds"};
			profile_.period = one_period_;
		}
		profile_.duration_nanos =
			static_cast<int64_t>(std::clamp((last_ - first_) * nanoseconds, 0.0, 9e18));
	}

	struct Counted {
		uint64_t samples = 0;
		uint64_t periods = 0;
	};

	void add_sample(const SampleKey &key, const std::vector<Counted> &counts,
			const std::vector<size_t> &order)
	{
		const auto &[stack, command, pid] = key;
		Sample &sample = profile_.samples.emplace_back();

		sample.locations = stack;
		if (order.size() < 2)
			sample.values.push_back(limited(counts.front().samples));
		for (const size_t event : order)
			sample.values.push_back(event < counts.size() ? limited(counts[event].periods) : 0);
		sample.labels = {{"process", command, 0, ""}};
		if (pid)
			sample.labels.own().push_back({"pid", "", pid, "id"});
	}

	std::string_view text_;
	size_t left_; /* bytes that the profile may still use */
	size_t line_ = 0;
	Profile profile_;
	std::vector<std::string> events_;
	std::vector<uint64_t> events_of_; /* the number of samples of each event */
	std::map<std::string, size_t, std::less<>> functions_;
	std::map<std::string, size_t, std::less<>> mappings_;
	std::map<std::tuple<uint64_t, size_t, std::vector<size_t>>, size_t> locations_;
	std::map<SampleKey, std::vector<Counted>> samples_;
	bool any_ = false;
	double first_ = 0, last_ = 0;
	int64_t one_period_ = 0; /* the period of all samples; 0: periods differ */
};

} // namespace

bool is_perf_script(std::string_view text)
{
	while (!text.empty()) {
		const std::string_view line = take_line(text);

		if (!without_blanks(line).empty() && line.front() != '#')
			return perf_head(line).has_value();
	}
	return false;
}

Result<Profile> read_perf_script(std::string_view text, size_t most_memory)
{
	try {
		return Reader(text, most_memory).read();
	} catch (const TooLarge &) {
		return Error{"the file is too large: it needs more than " + bytes_text(most_memory)};
	}
}

} // namespace cli
