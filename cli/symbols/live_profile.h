// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/live_profile.h  A profile that grows while it is recorded. */
#pragma once

#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/profile/event_account.h"
#include "cli/profile/profile.h"
#include "cli/profile/sample_source.h"
#include "cli/symbols/function_table.h"
#include "cli/symbols/symbols.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cli {

/** An amount that was added to one value of a sample: samples of the clock, or events. */
struct Change {
	size_t sample = 0; /**< index in Profile::samples */
	uint64_t amount = 0;
	size_t value = 0; /**< index in Profile::sample_types */

	bool operator==(const Change &) const = default;
};

/** Limits on the memory of a LiveProfile. */
struct LiveLimits {
	size_t places = size_t{1} << 17; /**< locations, or samples; one add() may exceed it */
	size_t objects = 4096;
	size_t open = 32; /**< objects whose symbols are open */
};

/**
 * The samples so far, with names.
 *
 * An address is looked up once, when it is first sampled.  When there are more
 * places than the limits permit, those with the most samples are kept; the others
 * are summed up, as function "[other]" of their object.
 */
class LiveProfile {
public:
	/** The function name for places that are no longer distinguished. */
	static constexpr char other[] = "[other]";

	/** @param sources the sources of the samples, by Bucket::source; one at least. */
	explicit LiveProfile(std::vector<SampleSource> sources, LiveLimits limits = {});
	/** The same with the clock as the only source, ticking every @p period ns. */
	explicit LiveProfile(uint64_t period, LiveLimits limits = {});

	/**
	 * Add the samples of @p part, which must all be new; returns the changes.
	 * @param events the account of each source during the part; the source's values are scaled by it.
	 */
	std::vector<Change> add(const Tally &part, const Owners &owners,
				std::span<const EventAccount> events = {});
	/** Set all samples to 0, but keep the places and their names. */
	void zero();
	/** Set the detail of later look-ups; missing details of known places are looked up now. */
	void set_detail(Detail detail);

	[[nodiscard]] const Profile &profile() const { return profile_; }
	/** To set the times and comments of the profile. */
	Profile &profile() { return profile_; }
	/** Changes whenever indices in profile(), or names of existing places, change. */
	[[nodiscard]] uint64_t edition() const { return edition_; }

private:
	/** An object that has samples; if @c object is nullptr, all addresses in no object. */
	struct Known {
		std::shared_ptr<Object> object;
		std::unique_ptr<Symbols> symbols;
		std::unordered_map<uint64_t, size_t> locations; /**< by address */
		std::map<uint64_t, size_t> mappings;		/**< by the start of their text */
		uint64_t opened = 0;				/**< round in which symbols were opened */
		uint64_t used = 0;				/**< round of the last use */
		std::set<size_t> nameless; /**< locations of code that may still get names */
	};

	void count(Known &known, const Bucket &bucket, uint64_t samples, const Owners &owners,
		   std::vector<Change> &changes);
	size_t location_at(Known &known, uint64_t address);
	[[nodiscard]] bool is_nameless(size_t location) const;
	void name_later();
	size_t sample_of(size_t location, uint32_t owner, const Labels &labels);
	void look_up(Known &known, size_t location);
	Symbols &symbols_of(Known &known);
	void close_one();
	size_t mapping_of(Known &known, Symbols &symbols, uint64_t address);

	void forget_rare();
	[[nodiscard]] std::vector<double> weights(const Profile &old) const;
	[[nodiscard]] std::vector<bool> most_sampled(const Profile &old) const;
	std::vector<size_t> move_locations(const Profile &old);
	size_t move_location(const Profile &old, size_t index, Known &known);
	size_t other_of(const Profile &old, size_t index, std::map<std::string, size_t> &others);

	std::vector<SampleSource> sources_; /* with their accounts of the last part */
	bool of_events_;		    /* false: the clock is the only source */
	LiveLimits limits_;
	Profile profile_;
	Detail detail_ = Detail::Functions;
	FunctionTable functions_;
	std::map<const Object *, Known> objects_;
	std::vector<uint32_t> owners_;				/* by sample */
	std::map<std::pair<size_t, uint32_t>, size_t> samples_; /* by location and owner */
	size_t open_ = 0;
	uint64_t round_ = 0;
	uint64_t edition_ = 0;
};

} // namespace cli
