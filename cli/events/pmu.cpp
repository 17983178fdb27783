// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/pmu.h"

#include "cli/base/whole_number.h"
#include "cli/events/line.h"
#include "cli/events/words.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned word_bits = 64;

/** True if a text can be the name of a file in sysfs; false for a path. */
bool is_name(std::string_view text)
{
	return !text.empty() && text.find('/') == text.npos && !text.starts_with('.');
}

/** A number as in C: decimal, or hexadecimal after "0x". */
std::optional<uint64_t> number_of(std::string_view text)
{
	return text.starts_with("0x") ? hexadecimal(text) : whole_number<uint64_t>(text);
}

/** The member of @p attr that a format names; nullptr if the module does not support that name. */
__u64 *word_of(perf_event_attr &attr, std::string_view name)
{
	if (name == "config")
		return &attr.config;
	if (name == "config1")
		return &attr.config1;
	return name == "config2" ? &attr.config2 : nullptr;
}

uint64_t ones(unsigned bits)
{
	return bits >= word_bits ? UINT64_MAX : (uint64_t{1} << bits) - 1;
}

/** Put @p value into the bits that a format lists, such as "config:0-7,32-35", low bits first. */
Outcome put_bits(std::string_view format, std::string_view term, uint64_t value, perf_event_attr &attr)
{
	const auto unknown = [&] {
		return Error{fmt::format("the kernel's format of '{}' is not understood: {}", term, format)};
	};
	std::string_view ranges = format;
	__u64 *const word = word_of(attr, take_until(ranges, ':'));
	uint64_t left = value;

	if (!word || ranges.empty())
		return unknown();
	while (!ranges.empty()) {
		std::string_view range = take_until(ranges, ',');
		const auto low = whole_number<unsigned>(take_until(range, '-'));
		const auto high = range.empty() ? low : whole_number<unsigned>(range);

		if (!low || !high || *low > *high || *high >= word_bits)
			return unknown();

		const unsigned bits = *high - *low + 1;

		*word &= ~(ones(bits) << *low);
		*word |= (left & ones(bits)) << *low;
		left = bits >= word_bits ? 0 : left >> bits;
	}
	if (left)
		return Error{fmt::format("{:#x} is too large for '{}' ({})", value, term, format)};
	return Done();
}

/** Builds an event from its terms. */
class TermReader {
public:
	explicit TermReader(std::string pmu) : pmu_(std::move(pmu)) {}

	Outcome set_all(std::string_view terms, bool own)
	{
		while (!terms.empty()) {
			const std::string_view term = take_until(terms, ',');

			if (Outcome set = set_one(term, own); !set)
				return set;
		}
		return Done();
	}

	[[nodiscard]] PmuTerms &chosen() { return chosen_; }

private:
	/** @param own true for a term from the user; false for one from the kernel. */
	Outcome set_one(std::string_view term, bool own)
	{
		std::string_view value = term;
		const std::string_view name = take_until(value, '=');
		const bool alone = name.size() == term.size();

		if (own && name == "name" && !value.empty()) {
			chosen_.name = value;
			return Done();
		}

		const std::optional<uint64_t> number = alone ? uint64_t{1} : number_of(value);

		if (own && alone && is_name(name)) {
			if (const auto known = line_of(fmt::format("{}/events/{}", pmu_, name)))
				return set_all(*known, false);
		}
		if (!number)
			return Error{fmt::format("term '{}': '{}' is not a number", name, value)};
		if (own && name == "period" && *number) {
			chosen_.period = *number;
			return Done();
		}
		if (__u64 *const word = alone ? nullptr : word_of(chosen_.attr, name)) {
			*word = *number;
			return Done();
		}

		const auto format =
			is_name(name) ? line_of(fmt::format("{}/format/{}", pmu_, name)) : std::nullopt;

		if (!format)
			return Error{fmt::format("there is no event or term '{}' below {}", name, pmu_)};
		return put_bits(*format, name, *number, chosen_.attr);
	}

	std::string pmu_; /**< the path of its folder in sysfs */
	PmuTerms chosen_;
};

} // namespace

Result<PmuTerms> parse_pmu_terms(std::string_view pmu, std::string_view terms, const std::string &root)
{
	const std::string folder = fmt::format("{}/{}", root, pmu);
	const auto type = is_name(pmu) ? line_of(folder + "/type") : std::nullopt;
	const auto number = type ? whole_number<uint32_t>(*type) : std::nullopt;
	TermReader reader(folder);

	if (!number)
		return Error{fmt::format("there is no PMU '{}' below {} (ls lists them)", pmu, root)};
	if (terms.empty())
		return Error{"there is no term between the slashes"};
	reader.chosen().attr.type = *number;
	if (const Outcome set = reader.set_all(terms, true); !set)
		return set.error();
	return reader.chosen();
}

std::vector<PmuEvent> pmu_events(const std::string &root)
{
	std::vector<PmuEvent> all;
	std::error_code error;

	for (fs::directory_iterator pmu(root, error), end; !error && pmu != end; pmu.increment(error)) {
		std::error_code none; /* ignored: many PMUs have no named events */

		for (fs::directory_iterator event(pmu->path() / "events", none); !none && event != end;
		     event.increment(none)) {
			const std::string name = event->path().filename();

			/* Files such as "cycles.scale" only say how to show a count. */
			if (name.find('.') == name.npos)
				all.push_back({pmu->path().filename(), name});
		}
	}
	std::sort(all.begin(), all.end(), [](const PmuEvent &a, const PmuEvent &b) {
		return std::tie(a.pmu, a.name) < std::tie(b.pmu, b.name);
	});
	return all;
}

} // namespace cli
