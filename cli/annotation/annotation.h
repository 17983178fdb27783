// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/annotation/annotation.h
 * The instructions and source lines of a function, with the samples of each.
 *
 * This is only data; text.h renders it as text.
 */
#pragma once

#include "cli/annotation/code_part.h"
#include "cli/annotation/counts.h"
#include "cli/annotation/function_choice.h"
#include "cli/annotation/object_code.h"
#include "cli/profile/profile.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/** Samples at an address without a decoded instruction. */
struct StraySamples {
	uint64_t address = 0; /**< as in the profile */
	uint64_t samples = 0;
	SourceLine source;
	std::vector<uint64_t> events = {}; /**< as in Counts */
};

/** An event, if the profile has several. */
struct AnnotatedEvent {
	std::string name;
	uint64_t count = 0; /**< in the function */
	uint64_t total = 0; /**< in the profile */
};

/** An annotated function; its samples are those of its parts and strays. */
struct Annotation {
	FunctionSamples function;
	SourceLine start;		    /**< first line of the function */
	uint64_t samples = 0;		    /**< in the function and, if chosen, inlined copies */
	uint64_t total = 0;		    /**< in the profile */
	std::vector<AnnotatedEvent> events; /**< if there are several; the samples' event first */
	std::vector<std::string> notes;	    /**< why instructions are missing or doubtful */
	std::vector<CodePart> parts;	    /**< own code first; then by samples, descending */
	std::vector<StraySamples> strays;   /**< in order of address */
};

/** The counts of every line that has instructions or counts; they add up to the function's. */
std::map<SourceLine, Counts> counts_by_line(const Annotation &annotation);

/** Annotates functions of a profile; reads each object once. */
class Annotator {
public:
	/** @param profile must outlive this. */
	Annotator(const Profile &profile, CodeOptions options);

	/** @param inlined whether to include the places where @p function is inlined in others. */
	Annotation annotate(const FunctionSamples &function, bool inlined);

private:
	/** A place in the profile where the function was sampled. */
	struct Spot {
		const Location *location = nullptr;
		Counts counts;
		std::string inlined_in;
	};
	using Spots = std::vector<Spot>;
	/** Identifies a file by path and build-id. */
	using ObjectKey = std::pair<std::string, std::string>;

	[[nodiscard]] std::map<ObjectKey, Spots> spots_of(const FunctionSamples &function,
							  bool inlined) const;
	[[nodiscard]] std::optional<Spot> spot_at(const Location &location, const FunctionSamples &function,
						  bool inlined) const;
	const Result<ObjectCode> &code_of(const ProfileMapping &mapping);
	void add_object(Annotation &annotation, const Spots &spots);
	void add_spot(Annotation &annotation, size_t first_part, const ObjectCode &code,
		      const Spot &spot) const;
	CodePart *part_at(Annotation &annotation, size_t first_part, const ObjectCode &code, const Spot &spot,
			  uint64_t address) const;
	[[nodiscard]] std::vector<AnnotatedEvent>
	events_of_spots(const std::map<ObjectKey, Spots> &all) const;
	[[nodiscard]] SourceLine source_of(const Location &location) const;
	[[nodiscard]] SourceLine start_of(const FunctionSamples &function,
					  const std::map<ObjectKey, Spots> &all) const;

	const Profile &profile_;
	CodeOptions options_;
	std::vector<Counts> counts_; /**< for each location */
	uint64_t total_ = 0;
	std::vector<AnnotatedEvent> events_; /**< the profile's events, with their totals */
	std::map<ObjectKey, std::unique_ptr<Result<ObjectCode>>> codes_;
};

} // namespace cli
