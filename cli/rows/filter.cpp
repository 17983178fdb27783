// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/filter.h"

#include "cli/profile/location.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace cli {
namespace {

struct FieldName {
	std::string_view name;
	Filter::Field field;
};

constexpr std::array fields = {
	FieldName{"function", Filter::Field::Function}, FieldName{"object", Filter::Field::Object},
	FieldName{"file", Filter::Field::File},		FieldName{"process", Filter::Field::Process},
	FieldName{"pid", Filter::Field::Pid},
};

Result<std::vector<int64_t>> parse_pids(std::string_view text)
{
	std::vector<int64_t> pids;

	for (size_t start = 0; start <= text.size();) {
		const size_t end = std::min(text.find(',', start), text.size());
		const std::string_view word = text.substr(start, end - start);
		int64_t pid = 0;
		const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), pid);

		if (error != std::errc() || stop != word.data() + word.size() || pid <= 0)
			return Error{fmt::format("'{}' is not a process ID", word)};
		pids.push_back(pid);
		start = end + 1;
	}
	return pids;
}

bool is_one_of(const std::vector<int64_t> &pids, std::optional<int64_t> pid)
{
	return pid && std::find(pids.begin(), pids.end(), *pid) != pids.end();
}

} // namespace

Result<Filter> parse_filter(const std::string &text)
{
	const size_t equals = text.find('=');
	const bool negated = equals != text.npos && equals > 0 && text[equals - 1] == '!';
	const std::string_view name = std::string_view(text).substr(0, negated ? equals - 1 : equals);
	const auto found = std::find_if(fields.begin(), fields.end(),
					[&](const FieldName &one) { return one.name == name; });

	if (equals == text.npos || found == fields.end())
		return Error{fmt::format(
			"'{}' does not begin with function=, object=, file=, process= or pid=", text)};

	Filter filter{text, found->field, negated, nullptr, {}};
	const std::string rest = text.substr(equals + 1);

	if (filter.field == Filter::Field::Pid) {
		Result<std::vector<int64_t>> pids = parse_pids(rest);

		if (!pids)
			return pids.error();
		filter.pids = *std::move(pids);
		return filter;
	}

	Result<Pattern> pattern = Pattern::compile(rest);

	if (!pattern)
		return pattern.error();
	filter.pattern = std::make_shared<const Pattern>(*std::move(pattern));
	return filter;
}

SampleFilter::SampleFilter(const Profile &profile, std::span<const Filter> filters)
	: profile_(profile), filters_(filters),
	  verdicts_(filters.size(), Verdicts(std::max(profile.functions.size(), profile.mappings.size())))
{
}

bool SampleFilter::passes(const Sample &sample)
{
	for (size_t i = 0; i < filters_.size(); i++) {
		if (holds(i, sample) == filters_[i].negated)
			return false;
	}
	return true;
}

bool SampleFilter::holds(size_t index, const Sample &sample)
{
	const Filter &filter = filters_[index];

	switch (filter.field) {
	case Filter::Field::Pid: return is_one_of(filter.pids, process_of(sample).pid);
	case Filter::Field::Process: return filter.pattern->found_in(process_of(sample).command);
	case Filter::Field::File: break;
	default:
		if (sample.locations.empty())
			return filter.pattern->found_in(unknown_name);
	}
	if (sample.locations.empty())
		return filter.pattern->found_in("");
	return found_at(index, profile_.locations[sample.locations.front()]);
}

bool SampleFilter::found_in(size_t index, size_t at, std::string_view name)
{
	Verdicts &verdicts = verdicts_[index];

	if (at >= verdicts.size())
		verdicts.resize(at + 1);

	std::optional<bool> &verdict = verdicts[at];

	if (!verdict)
		verdict = filters_[index].pattern->found_in(name);
	return *verdict;
}

/* Functions inlined at a location count as well as the function that contains it. */
bool SampleFilter::found_at(size_t index, const Location &location)
{
	const Filter &filter = filters_[index];

	if (filter.field == Filter::Field::Object)
		return location.mapping ? found_in(index, *location.mapping, object_of(profile_, location))
					: filter.pattern->found_in(unknown_name);
	if (filter.field == Filter::Field::Function && symbol_of(profile_, location).empty() &&
	    filter.pattern->found_in(nameless(profile_, location)))
		return true;
	if (filter.field == Filter::Field::File && location.lines.empty())
		return filter.pattern->found_in("");
	return std::any_of(location.lines.begin(), location.lines.end(), [&](const Line &line) {
		const Function &function = profile_.functions[line.function];

		return found_in(index, line.function,
				filter.field == Filter::Field::File ? std::string_view(function.filename)
								    : name_of(function));
	});
}

} // namespace cli
