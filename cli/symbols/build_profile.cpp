// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/build_profile.h"

#include "cli/profile/location.h"
#include "cli/symbols/debug_link.h"
#include "cli/symbols/function_table.h"
#include "cli/symbols/later_lines.h"
#include "cli/symbols/mapping.h"
#include "cli/symbols/symbols.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <unistd.h>
#include <utility>

namespace cli {
namespace {

/** The samples of one owner and one source at an address. */
struct Share {
	uint32_t owner = 0;
	uint32_t source = 0;
	uint64_t samples = 0;

	/** Orders shares; those with the same owner and source are added up. */
	[[nodiscard]] bool comes_before(const Share &other) const
	{
		return std::pair(owner, source) < std::pair(other.owner, other.source);
	}
};

/** The samples of one address. */
struct Spot {
	uint64_t address = 0;
	size_t first = 0; /**< index of the spot's first share */
	size_t end = 0;
};

/** Spots, by address. */
struct Spots {
	std::vector<Spot> all;
	std::vector<Share> shares; /**< the shares of each spot, by owner and source */

	[[nodiscard]] std::span<const Share> of(const Spot &spot) const
	{
		return std::span(shares).subspan(spot.first, spot.end - spot.first);
	}
};

/** Adds a share to the last spot. */
void add_share(Spots &spots, const Share &share)
{
	Spot &spot = spots.all.back();
	const auto first = spots.shares.begin() + static_cast<ptrdiff_t>(spot.first);
	const auto place = std::lower_bound(first, spots.shares.end(), share,
					    [](const Share &a, const Share &b) { return a.comes_before(b); });

	if (place != spots.shares.end() && !share.comes_before(*place))
		place->samples += share.samples;
	else
		spots.shares.insert(place, share);
	spot.end = spots.shares.size();
}

/* Buckets are sorted by address and owner. */
Spots by_address(const Tally::Buckets &buckets)
{
	Spots spots;

	spots.all.reserve(buckets.size());
	spots.shares.reserve(buckets.size());
	for (const auto &[bucket, samples] : buckets) {
		if (spots.all.empty() || spots.all.back().address != bucket.address)
			spots.all.push_back({bucket.address, spots.shares.size(), 0});
		add_share(spots, {bucket.owner, bucket.source, samples});
	}
	return spots;
}

class Builder {
public:
	Builder(const Tally &tally, const Owners &owners, std::span<const SampleSource> sources,
		std::vector<std::string> &warnings, std::vector<std::string> *left)
		: tally_(tally), owners_(owners), sources_(sources), warnings_(warnings), left_(left),
		  profile_(empty_profile(sources))
	{
	}

	void add_object(const Object &object, const Tally::Buckets &buckets)
	{
		const bool later = left_ && leave_for_later(object, {buckets.size(), Tally::total_of(buckets),
								     tally_.total()});
		Symbols symbols(object, later ? Detail::Functions : Detail::Lines);

		/* Without a symbol table, names are from debug information, so lines are known. */
		if (later && !symbols.has_lines())
			left_->push_back(object.name);
		warn_about(object, symbols);
		/* The program is listed even if it has no samples. */
		if (buckets.empty()) {
			for (const TextSegment &text : object.texts.all())
				mapping(object, symbols, text.low);
		}

		const Spots spots = by_address(buckets);
		const size_t first = profile_.locations.size();

		profile_.locations.reserve(first + spots.all.size());
		profile_.samples.reserve(profile_.samples.size() + spots.shares.size());
		for (const Spot &spot : spots.all) {
			add_samples(profile_.locations.size(), spots.of(spot));
			profile_.locations.push_back(
				{mapping(object, symbols, spot.address), spot.address, {}});
		}
		find_functions(spots.all, std::span(profile_.locations).subspan(first), symbols);
	}

	void add_unknown(const Tally::Buckets &buckets)
	{
		const Spots spots = by_address(buckets);

		for (const Spot &spot : spots.all) {
			Location location;

			location.address = spot.address;
			profile_.locations.push_back(std::move(location));
			add_samples(profile_.locations.size() - 1, spots.of(spot));
		}
	}

	Profile take() { return std::move(profile_); }

private:
	static std::string why_no_file(const Object &object)
	{
		if (object.deleted)
			return "was deleted or replaced while it was mapped";
		if (!object.no_file.empty())
			return object.no_file;
		if (access(object.name.c_str(), R_OK))
			return fmt::format("cannot be read ({})", std::strerror(errno));
		return "was unmapped before it could be opened";
	}

	void warn_about(const Object &object, const Symbols &symbols)
	{
		if (object.source != Source::File)
			return;
		if (!object.file)
			warnings_.push_back(
				fmt::format("{}: {}: no names for it", object.name, why_no_file(object)));
		else if (const std::string why = symbols.has_lines() ? "" : foreign_debug_file(object);
			 !why.empty())
			warnings_.push_back(fmt::format("{}: no lines for it: {}", object.name, why));
	}

	size_t mapping(const Object &object, Symbols &symbols, uint64_t address)
	{
		const TextSegment *text = object.texts.find(address);
		const uint64_t low = text ? text->low : address;
		const auto [place, fresh] = mappings_.try_emplace({&object, low}, profile_.mappings.size());

		if (!fresh)
			return place->second;

		profile_.mappings.push_back(mapping_at(object, symbols, address));
		return place->second;
	}

	void find_functions(std::span<const Spot> spots, std::span<Location> locations, Symbols &symbols)
	{
		std::vector<uint64_t> addresses;
		size_t last = 0;

		addresses.reserve(spots.size());
		for (const Spot &spot : spots)
			addresses.push_back(spot.address);
		for (const size_t index : symbols.unit_by_unit(addresses)) {
			/* Most locations are in the same function as the one before. */
			if (symbols.alike().holds(addresses[index]))
				locations[index].lines = locations[last].lines;
			else
				find_lines(locations[index], symbols);
			last = index;
		}
	}

	void find_lines(Location &location, Symbols &symbols)
	{
		for (Frame &frame : symbols.frames(location.address)) {
			const int64_t line = frame.line;

			location.lines.push_back(
				{functions_.find(profile_.functions, std::move(frame)), line});
		}
		if (location.lines.size() > 1)
			profile_.mappings[*location.mapping].has_inline_frames = true;
	}

	/** An owner's labels; cached, as most samples have the same owner as the one before. */
	const Labels &labels_of(uint32_t owner)
	{
		if (!labelled_ || *labelled_ != owner)
			labels_ = process_labels(owners_.find(owner));
		labelled_ = owner;
		return labels_;
	}

	void add_samples(size_t location, std::span<const Share> shares)
	{
		std::optional<uint32_t> last;

		for (const Share &share : shares) {
			if (last != share.owner)
				profile_.samples.push_back({{location},
							    std::vector<int64_t>(sources_.size() + 1),
							    labels_of(share.owner)});
			last = share.owner;

			std::vector<int64_t> &values = profile_.samples.back().values;

			if (!share.source)
				values[0] = static_cast<int64_t>(share.samples);
			const SampleSource &source = sources_[share.source];

			values[share.source + 1] =
				static_cast<int64_t>(source.account.scaled(share.samples * source.period));
		}
	}

	const Tally &tally_;
	const Owners &owners_;
	std::span<const SampleSource> sources_;
	std::vector<std::string> &warnings_;
	std::vector<std::string> *left_;
	Profile profile_;
	FunctionTable functions_;
	std::map<std::pair<const Object *, uint64_t>, size_t> mappings_;
	std::optional<uint32_t> labelled_; /**< the owner of labels_ */
	Labels labels_;
};

using ObjectSamples = std::pair<const Object *, const Tally::Buckets *>;

const Tally::Buckets *buckets_of(const Tally &tally, const Object *wanted)
{
	static const Tally::Buckets none;

	for (const auto &[object, buckets] : tally.objects()) {
		if (object.get() == wanted)
			return &buckets;
	}
	return &none;
}

/* Objects in a fixed order, so that the same samples result in the same file. */
std::vector<ObjectSamples> in_order(const Tally &tally, const Object *program)
{
	std::vector<ObjectSamples> objects;

	for (const auto &[object, buckets] : tally.objects()) {
		if (object.get() != program)
			objects.emplace_back(object.get(), &buckets);
	}
	std::sort(objects.begin(), objects.end(), [](const ObjectSamples &a, const ObjectSamples &b) {
		return a.first->name < b.first->name;
	});
	if (program)
		objects.insert(objects.begin(), {program, buckets_of(tally, program)});
	return objects;
}

} // namespace

Profile empty_profile(std::span<const SampleSource> sources)
{
	Profile profile;

	profile.sample_types = {{"samples", "count"}};
	for (const SampleSource &source : sources)
		profile.sample_types.push_back({source.name, source.unit});
	profile.default_sample_type = sources.front().name;
	profile.period_type = profile.sample_types[1];
	profile.period = static_cast<int64_t>(sources.front().period);
	return profile;
}

Profile empty_profile(uint64_t period)
{
	const SampleSource clock{.period = period};

	return empty_profile(std::span(&clock, 1));
}

std::vector<Label> process_labels(const Owner *owner)
{
	if (!owner)
		return {};

	std::vector<Label> labels;

	if (!owner->name.empty())
		labels.push_back({"process", owner->name, 0, ""});
	if (!owner->cgroup.empty())
		labels.push_back({"cgroup", owner->cgroup, 0, ""});
	if (owner->pid)
		labels.push_back({"pid", "", owner->pid, "id"});
	if (owner->slice >= 0)
		labels.push_back({slice_label, "", owner->slice, "milliseconds"});
	return labels;
}

Profile build_profile(const Tally &tally, const Owners &owners, const Object *program,
		      std::span<const SampleSource> sources, std::vector<std::string> &warnings,
		      std::vector<std::string> *left)
{
	Builder builder(tally, owners, sources, warnings, left);

	for (const auto &[object, buckets] : in_order(tally, program))
		builder.add_object(*object, *buckets);
	builder.add_unknown(tally.unknown());
	return builder.take();
}

Profile build_profile(const Tally &tally, const Owners &owners, const Object *program, uint64_t period,
		      std::vector<std::string> &warnings, std::vector<std::string> *left)
{
	const SampleSource clock{.period = period};

	return build_profile(tally, owners, program, std::span(&clock, 1), warnings, left);
}

} // namespace cli
