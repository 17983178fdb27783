// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/live_profile.h"

#include "cli/base/saturate.h"
#include "cli/profile/location.h"
#include "cli/profile/nameless_code.h"
#include "cli/symbols/build_profile.h"
#include "cli/symbols/mapping.h"

#include <algorithm>
#include <utility>

namespace cli {
namespace {

constexpr size_t nowhere = SIZE_MAX;
/* The index of the first source in Sample::values, after the samples. */
constexpr size_t first_source = 1;
/* JIT symbols are read again only after this many parts, because there may be many symbols. */
constexpr uint64_t jit_rounds = 5;

void add_to(int64_t &value, uint64_t more)
{
	value = saturating_add(value, static_cast<int64_t>(std::min<uint64_t>(more, INT64_MAX)));
}

} // namespace

LiveProfile::LiveProfile(std::vector<SampleSource> sources, LiveLimits limits)
	: sources_(std::move(sources)), of_events_(sources_.front().unit == "count"), limits_(limits),
	  profile_(empty_profile(sources_))
{
}

LiveProfile::LiveProfile(uint64_t period, LiveLimits limits)
	: LiveProfile(std::vector<SampleSource>{{.period = period}}, limits)
{
}

std::vector<Change> LiveProfile::add(const Tally &part, const Owners &owners,
				     std::span<const EventAccount> events)
{
	std::vector<Change> changes;

	for (size_t i = 0; i < std::min(sources_.size(), events.size()); i++)
		sources_[i].account = events[i];

	if (std::max(profile_.locations.size(), profile_.samples.size()) >= limits_.places ||
	    objects_.size() >= limits_.objects)
		forget_rare();
	round_++;
	for (const auto &[object, buckets] : part.objects()) {
		Known &known = objects_[object.get()];

		known.object = object;
		for (const auto &[bucket, samples] : buckets)
			count(known, bucket, samples, owners, changes);
	}
	for (const auto &[bucket, samples] : part.unknown())
		count(objects_[nullptr], bucket, samples, owners, changes);
	name_later();
	return changes;
}

void LiveProfile::count(Known &known, const Bucket &bucket, uint64_t samples, const Owners &owners,
			std::vector<Change> &changes)
{
	const size_t location = location_at(known, bucket.address);
	const size_t sample = sample_of(location, bucket.owner, process_labels(owners.find(bucket.owner)));
	const SampleSource &source = sources_[bucket.source];
	const uint64_t amount = source.account.scaled(samples * source.period);
	const size_t value = bucket.source + first_source;
	std::vector<int64_t> &values = profile_.samples[sample].values;

	if (!bucket.source)
		add_to(values[0], samples);
	add_to(values[value], amount);
	changes.push_back(of_events_ ? Change{sample, amount, value} : Change{sample, samples, 0});
}

void LiveProfile::zero()
{
	for (Sample &sample : profile_.samples)
		sample.values.assign(sample.values.size(), 0);
}

size_t LiveProfile::location_at(Known &known, uint64_t address)
{
	const auto [place, fresh] = known.locations.try_emplace(address, profile_.locations.size());
	const size_t index = place->second;

	if (fresh) {
		profile_.locations.emplace_back().address = address;
		look_up(known, index);
	}
	return index;
}

bool LiveProfile::is_nameless(size_t location) const
{
	return is_nameless_code(symbol_of(profile_, profile_.locations[location]));
}

/* A JIT compiler may name code only after it has run, or when its process ends. */
void LiveProfile::name_later()
{
	for (auto &[object, known] : objects_) {
		if (known.nameless.empty() || round_ - known.opened < jit_rounds)
			continue;
		for (const size_t index : std::set<size_t>(std::exchange(known.nameless, {}))) {
			look_up(known, index);
			edition_ += !is_nameless(index);
		}
	}
}

size_t LiveProfile::sample_of(size_t location, uint32_t owner, const Labels &labels)
{
	const auto [place, fresh] = samples_.try_emplace({location, owner}, profile_.samples.size());

	if (fresh) {
		profile_.samples.push_back(
			{{location}, std::vector<int64_t>(sources_.size() + first_source), labels});
		owners_.push_back(owner);
	}
	return place->second;
}

void LiveProfile::look_up(Known &known, size_t index)
{
	if (!known.object)
		return;

	Symbols &symbols = symbols_of(known);
	Location &location = profile_.locations[index];

	location.mapping = mapping_of(known, symbols, location.address);
	location.lines.clear();
	for (const Frame &frame : symbols.frames(location.address))
		location.lines.push_back({functions_.find(profile_.functions, frame), frame.line});
	if (known.object->jit && is_nameless(index))
		known.nameless.insert(index);
}

Symbols &LiveProfile::symbols_of(Known &known)
{
	known.used = round_;
	if (known.symbols && (!known.object->jit || round_ - known.opened < jit_rounds))
		return *known.symbols;
	if (!known.symbols && open_ >= limits_.open)
		close_one();
	open_ += !known.symbols;
	known.symbols = std::make_unique<Symbols>(*known.object, detail_);
	known.opened = round_;
	return *known.symbols;
}

/** Close the symbols that were used least recently. */
void LiveProfile::close_one()
{
	Known *oldest = nullptr;

	for (auto &[object, known] : objects_) {
		if (known.symbols && (!oldest || known.used < oldest->used))
			oldest = &known;
	}
	if (oldest) {
		oldest->symbols.reset();
		open_--;
	}
}

size_t LiveProfile::mapping_of(Known &known, Symbols &symbols, uint64_t address)
{
	const TextSegment *text = known.object->texts.find(address);
	const auto [place, fresh] =
		known.mappings.try_emplace(text ? text->low : address, profile_.mappings.size());

	if (fresh)
		profile_.mappings.push_back(mapping_at(*known.object, symbols, address));
	return place->second;
}

void LiveProfile::set_detail(Detail detail)
{
	const bool more = detail == Detail::Lines && detail_ != detail;

	if (std::exchange(detail_, detail) == detail)
		return;
	for (auto &[object, known] : objects_)
		known.symbols.reset();
	open_ = 0;
	if (!more)
		return;
	round_++;
	edition_++;
	for (auto &[object, known] : objects_) {
		for (const auto &[address, index] : known.locations)
			look_up(known, index);
	}
}

/**
 * The samples of all sources, by location.  Values are divided by the source's period, because one
 * event can be a million times as frequent as another.
 */
std::vector<double> LiveProfile::weights(const Profile &old) const
{
	std::vector<double> weights(old.locations.size());

	for (const Sample &sample : old.samples) {
		for (size_t i = 0; i < sources_.size(); i++)
			weights[sample.locations.front()] +=
				static_cast<double>(samples_of(sample, i + first_source)) /
				static_cast<double>(sources_[i].period);
	}
	return weights;
}

/** For each location, true if it is kept: those with the most samples, up to half the limits. */
std::vector<bool> LiveProfile::most_sampled(const Profile &old) const
{
	const std::vector<double> totals = weights(old);
	std::vector<size_t> order;
	std::vector<bool> kept(totals.size());
	std::map<const Object *, size_t> objects;
	std::vector<const Object *> object_of_location(totals.size());

	for (const auto &[object, known] : objects_) {
		for (const auto &[address, index] : known.locations) {
			order.push_back(index);
			object_of_location[index] = object;
		}
	}
	std::sort(order.begin(), order.end(),
		  [&](size_t a, size_t b) { return totals[a] != totals[b] ? totals[a] > totals[b] : a < b; });
	order.resize(std::min(order.size(), limits_.places / 2));
	for (const size_t index : order) {
		const Object *object = object_of_location[index];

		if (objects.contains(object) || objects.size() < limits_.objects / 2) {
			objects[object]++;
			kept[index] = true;
		}
	}
	return kept;
}

size_t LiveProfile::move_location(const Profile &old, size_t index, Known &known)
{
	Location location = old.locations[index];

	if (location.mapping) {
		const ProfileMapping &mapping = old.mappings[*location.mapping];
		const auto [place, fresh] =
			known.mappings.try_emplace(mapping.start, profile_.mappings.size());

		if (fresh)
			profile_.mappings.push_back(mapping);
		location.mapping = place->second;
	}
	for (Line &line : location.lines) {
		const Function &function = old.functions[line.function];

		line.function =
			functions_.find(profile_.functions, {function.name, function.system_name,
							     function.filename, 0, function.start_line});
	}
	profile_.locations.push_back(std::move(location));
	return profile_.locations.size() - 1;
}

/** The location that stands for all locations of the same object that are not kept. */
size_t LiveProfile::other_of(const Profile &old, size_t index, std::map<std::string, size_t> &others)
{
	const Location &location = old.locations[index];
	const auto [place, fresh] =
		others.try_emplace(std::string(object_of(old, location)), profile_.locations.size());

	if (!fresh)
		return place->second;

	Location rest;

	if (location.mapping) {
		rest.mapping = profile_.mappings.size();
		rest.address = old.mappings[*location.mapping].start;
		profile_.mappings.push_back(old.mappings[*location.mapping]);
	}
	rest.lines.push_back({functions_.find(profile_.functions, {other, other, "", 0, 0}), 0});
	profile_.locations.push_back(std::move(rest));
	return place->second;
}

/** Take over the locations that are kept; returns the new index of each old location, or nowhere. */
std::vector<size_t> LiveProfile::move_locations(const Profile &old)
{
	const std::vector<bool> kept = most_sampled(old);
	std::vector<size_t> moved(old.locations.size(), nowhere);

	for (auto &[object, known] : objects_) {
		known.mappings.clear();
		known.nameless.clear();
		std::erase_if(known.locations, [&](const auto &one) { return !kept[one.second]; });
		for (auto &[address, index] : known.locations) {
			moved[index] = move_location(old, index, known);
			index = moved[index];
			if (known.object && known.object->jit && is_nameless(index))
				known.nameless.insert(index);
		}
	}
	std::erase_if(objects_, [](const auto &one) { return one.second.locations.empty(); });
	open_ = static_cast<size_t>(std::count_if(objects_.begin(), objects_.end(), [](const auto &one) {
		return one.second.symbols != nullptr;
	}));
	return moved;
}

void LiveProfile::forget_rare()
{
	const Profile old = profile_;
	const std::vector<uint32_t> owners = std::exchange(owners_, {});
	std::map<std::string, size_t> others;

	profile_.samples.clear();
	profile_.mappings.clear();
	profile_.locations.clear();
	profile_.functions.clear();
	functions_ = FunctionTable();
	samples_.clear();
	edition_++;

	std::vector<size_t> moved = move_locations(old);

	for (size_t i = 0; i < old.samples.size(); i++) {
		const Sample &sample = old.samples[i];
		size_t &location = moved[sample.locations.front()];

		if (location == nowhere)
			location = other_of(old, sample.locations.front(), others);

		std::vector<int64_t> &values =
			profile_.samples[sample_of(location, owners[i], sample.labels)].values;

		for (size_t value = 0; value < values.size(); value++)
			add_to(values[value], samples_of(sample, value));
	}
}

} // namespace cli
