// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/annotation/annotation.h
 * The instructions and source lines of a function, with the samples of each.
 *
 * Data alone: annotation_text.h makes text of it.
 */
#pragma once

#include "cli/annotation/code_part.h"
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

/** Samples on nothing that could be decoded. */
struct StraySamples {
	uint64_t address = 0; /**< as in the profile */
	uint64_t samples = 0;
	SourceLine source;
};

/** A function, annotated; samples is the sum of those of parts and strays. */
struct Annotation {
	FunctionSamples function;
	SourceLine start;		  /**< where it begins */
	uint64_t samples = 0;		  /**< of the function, as chosen */
	uint64_t total = 0;		  /**< of the profile */
	uint64_t shared_bytes = 1;	  /**< that had one counter, at most */
	std::vector<std::string> notes;	  /**< why instructions are missing, or doubtful */
	std::vector<CodePart> parts;	  /**< its own first, then those with most samples */
	std::vector<StraySamples> strays; /**< by address */
};

/** Samples of every line that has instructions or samples, by file and line; their sum is the function's. */
std::map<SourceLine, uint64_t> samples_by_line(const Annotation &annotation);

/** Reads each object once for all functions of a profile. */
class Annotator {
public:
	/** @param profile outlives this. */
	Annotator(const Profile &profile, CodeOptions options);

	/** @param inlined also where it is inlined in others, not its own code alone. */
	Annotation annotate(const FunctionSamples &function, bool inlined);

private:
	/** A place in the profile where the function was sampled. */
	struct Spot {
		const Location *location = nullptr;
		uint64_t samples = 0;
		std::string inlined_in;
	};
	using Spots = std::vector<Spot>;
	/** One file: another build-id is another. */
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
	[[nodiscard]] SourceLine source_of(const Location &location) const;
	[[nodiscard]] SourceLine start_of(const FunctionSamples &function,
					  const std::map<ObjectKey, Spots> &all) const;

	const Profile &profile_;
	CodeOptions options_;
	std::vector<uint64_t> samples_; /**< by location */
	uint64_t shared_bytes_;
	uint64_t total_ = 0;
	std::map<ObjectKey, std::unique_ptr<Result<ObjectCode>>> codes_;
};

} // namespace cli
