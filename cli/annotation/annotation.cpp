// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/annotation.h"

#include "cli/base/saturate.h"
#include "cli/profile/about.h"
#include "cli/profile/location.h"
#include "cli/rows/events.h"

#include <algorithm>

namespace cli {
namespace {

bool is_function(const Frame &frame, const FunctionSamples &function)
{
	return frame.name == function.name ||
	       (!frame.system_name.empty() && function.system_names.contains(frame.system_name));
}

/** Drop instructions without counts that do not belong to the inlined function. */
void keep_inlined(CodePart &part, const ObjectCode &code, const FunctionSamples &function)
{
	std::erase_if(part.instructions, [&](const AnnotatedInstruction &one) {
		const std::vector<Frame> frames = code.symbols().frames(one.code.address);

		return !counts_of(one).any() &&
		       std::none_of(frames.begin(), frames.end(),
				    [&](const Frame &frame) { return is_function(frame, function); });
	});
}

/** Sort strays by address, and merge those with the same address and line. */
void merge(std::vector<StraySamples> &strays)
{
	std::vector<StraySamples> merged;

	std::stable_sort(strays.begin(), strays.end(),
			 [](const StraySamples &a, const StraySamples &b) { return a.address < b.address; });
	for (StraySamples &stray : strays) {
		if (!merged.empty() && merged.back().address == stray.address &&
		    merged.back().source == stray.source)
			count(merged.back(), counts_of(stray));
		else
			merged.push_back(std::move(stray));
	}
	strays = std::move(merged);
}

} // namespace

std::map<SourceLine, Counts> counts_by_line(const Annotation &annotation)
{
	std::map<SourceLine, Counts> lines;

	for (const CodePart &part : annotation.parts) {
		for (const AnnotatedInstruction &one : part.instructions)
			lines[one.source].add(counts_of(one));
	}
	for (const StraySamples &stray : annotation.strays)
		lines[stray.source].add(counts_of(stray));
	return lines;
}

Annotator::Annotator(const Profile &profile, CodeOptions options)
	: profile_(profile), options_(std::move(options)), counts_(counts_by_location(profile))
{
	const size_t index = samples_index(profile);
	const std::vector<size_t> events = events_of(profile);

	for (const size_t event : events)
		events_.push_back({profile.sample_types[event].type, 0, 0});
	for (const Sample &sample : profile.samples) {
		total_ = saturating_add(total_, samples_of(sample, index));
		for (size_t i = 0; i < events.size(); i++)
			events_[i].total = saturating_add(events_[i].total, samples_of(sample, events[i]));
	}
}

const Result<ObjectCode> &Annotator::code_of(const ProfileMapping &mapping)
{
	std::unique_ptr<Result<ObjectCode>> &code = codes_[{mapping.filename, mapping.build_id}];

	if (!code)
		code = std::make_unique<Result<ObjectCode>>(ObjectCode::open(mapping, options_));
	return *code;
}

SourceLine Annotator::source_of(const Location &location) const
{
	if (location.lines.empty())
		return {};

	const Line &line = location.lines.front();

	return line.line > 0 ? SourceLine{profile_.functions[line.function].filename, line.line}
			     : SourceLine{};
}

/** A spot here, if the location is in @p function or, with @p inlined, in an inlined copy of it. */
std::optional<Annotator::Spot> Annotator::spot_at(const Location &location, const FunctionSamples &function,
						  bool inlined) const
{
	std::string outer = function_of(profile_, location);

	if (object_of(profile_, location) != function.object)
		return std::nullopt;
	if (outer == function.name)
		return Spot{&location, {}, ""};
	for (size_t i = 0; inlined && i + 1 < location.lines.size(); i++) {
		if (name_of(profile_.functions[location.lines[i].function]) == function.name)
			return Spot{&location, {}, std::move(outer)};
	}
	return std::nullopt;
}

std::map<Annotator::ObjectKey, Annotator::Spots> Annotator::spots_of(const FunctionSamples &function,
								     bool inlined) const
{
	std::map<ObjectKey, Spots> all;

	for (size_t i = 0; i < counts_.size(); i++) {
		const Location &location = profile_.locations[i];
		std::optional<Spot> spot =
			counts_[i].any() ? spot_at(location, function, inlined) : std::nullopt;

		if (!spot)
			continue;
		spot->counts = counts_[i];

		const ProfileMapping *mapping =
			location.mapping ? &profile_.mappings[*location.mapping] : nullptr;

		all[mapping ? ObjectKey(mapping->filename, mapping->build_id) : ObjectKey()].push_back(*spot);
	}
	return all;
}

/* Debug information can give a function several first lines: take the one with the most samples. */
SourceLine Annotator::start_of(const FunctionSamples &function, const std::map<ObjectKey, Spots> &all) const
{
	std::map<SourceLine, uint64_t> starts;

	for (const auto &[key, spots] : all) {
		for (const Spot &spot : spots) {
			for (const Line &line : spot.location->lines) {
				const Function &one = profile_.functions[line.function];

				if (name_of(one) != function.name || one.filename.empty())
					continue;

				uint64_t &samples = starts[{one.filename, one.start_line}];

				samples = saturating_add(samples, spot.counts.samples);
			}
		}
	}

	const auto best = std::max_element(starts.begin(), starts.end(),
					   [](const auto &a, const auto &b) { return a.second < b.second; });

	return best == starts.end() ? SourceLine{} : best->first;
}

/** The part that contains a spot, decoded when first needed; nullptr if the address has no text. */
CodePart *Annotator::part_at(Annotation &annotation, size_t first_part, const ObjectCode &code,
			     const Spot &spot, uint64_t address) const
{
	std::vector<CodePart> &parts = annotation.parts;
	const auto known = [&](uint64_t wanted) {
		return std::find_if(parts.begin() + static_cast<ptrdiff_t>(first_part), parts.end(),
				    [&](const CodePart &part) {
					    return part.extent.holds(wanted) &&
						   part.inlined_in == spot.inlined_in;
				    });
	};

	if (const auto part = known(address); part != parts.end())
		return &*part;

	const std::optional<Extent> extent = extent_at(code, address);

	if (!extent)
		return nullptr;
	if (const auto part = known(extent->low); part != parts.end())
		return &*part;
	parts.push_back(decode_part(code, *extent));
	parts.back().object = annotation.function.object;
	parts.back().inlined_in = spot.inlined_in;
	return &parts.back();
}

void Annotator::add_spot(Annotation &annotation, size_t first_part, const ObjectCode &code,
			 const Spot &spot) const
{
	const Location &location = *spot.location;
	const uint64_t address = code.link_address(profile_.mappings[*location.mapping], location.address);
	CodePart *part = part_at(annotation, first_part, code, spot, address);

	if (!part || !count_at(*part, address, spot.counts, source_of(location)))
		annotation.strays.push_back(
			{location.address, spot.counts.samples, source_of(location), spot.counts.events});
}

void Annotator::add_object(Annotation &annotation, const Spots &spots)
{
	const std::optional<size_t> mapping = spots.front().location->mapping;
	const size_t first_part = annotation.parts.size();
	const auto stray = [&](const Spot &spot) {
		annotation.strays.push_back({spot.location->address, spot.counts.samples,
					     source_of(*spot.location), spot.counts.events});
	};

	if (!mapping) {
		annotation.notes.emplace_back("no object is known at these addresses");
		std::for_each(spots.begin(), spots.end(), stray);
		return;
	}

	const Result<ObjectCode> &code = code_of(profile_.mappings[*mapping]);

	if (!code) {
		annotation.notes.push_back("no instructions: " + code.error().text);
		std::for_each(spots.begin(), spots.end(), stray);
		return;
	}
	if (!code->doubt().empty())
		annotation.notes.push_back(code->doubt());
	for (const Spot &spot : spots)
		add_spot(annotation, first_part, *code, spot);
	for (size_t i = first_part; i < annotation.parts.size(); i++) {
		CodePart &part = annotation.parts[i];

		part.loops = find_loops(part.instructions);
		if (!part.inlined_in.empty())
			keep_inlined(part, *code, annotation.function);
	}
}

std::vector<AnnotatedEvent> Annotator::events_of_spots(const std::map<ObjectKey, Spots> &all) const
{
	std::vector<AnnotatedEvent> events = events_;
	Counts sum;

	for (const auto &[key, spots] : all) {
		for (const Spot &spot : spots)
			sum.add(spot.counts);
	}
	for (size_t i = 0; i < sum.events.size(); i++)
		events[i].count = sum.events[i];
	return events;
}

Annotation Annotator::annotate(const FunctionSamples &function, bool inlined)
{
	const std::map<ObjectKey, Spots> all = spots_of(function, inlined);
	Annotation annotation;

	annotation.function = function;
	annotation.samples = inlined ? function.samples() : function.own;
	annotation.total = total_;
	annotation.events = events_of_spots(all);
	annotation.start = start_of(function, all);
	for (const auto &[key, spots] : all)
		add_object(annotation, spots);
	std::stable_sort(annotation.parts.begin(), annotation.parts.end(),
			 [](const CodePart &a, const CodePart &b) {
				 return std::pair(!a.inlined_in.empty(), b.samples) <
					std::pair(!b.inlined_in.empty(), a.samples);
			 });
	merge(annotation.strays);
	return annotation;
}

} // namespace cli
