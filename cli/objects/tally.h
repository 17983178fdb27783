// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/tally.h  Samples by object and address. */
#pragma once

#include "cli/objects/object.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

namespace cli {

/** A run of 1 << shift bytes of text, which share a counter. */
struct Bucket {
	uint64_t address = 0;
	unsigned shift = 0;
	uint32_t owner = 0; /**< the process that was sampled, see Owners; 0: any */
	auto operator<=>(const Bucket &) const = default;
};

/** What was sampled so far, of all processes together. */
class Tally {
public:
	static constexpr size_t most_unknown = 65536;

	using Buckets = std::map<Bucket, uint64_t>;

	/** Count @p samples of an object. */
	void add(const std::shared_ptr<Object> &object, Bucket bucket, uint64_t samples)
	{
		objects_[object][bucket] += samples;
		total_ += samples;
	}

	/** Count all that another has. */
	void add(const Tally &other)
	{
		for (const auto &[object, buckets] : other.objects_) {
			for (const auto &[bucket, samples] : buckets)
				add(object, bucket, samples);
		}
		for (const auto &[bucket, samples] : other.unknown_)
			add_unknown(bucket, samples);
	}

	/**
	 * Count a sample at an address of a process where nothing is known to be.
	 *
	 * Programs are at other addresses whenever they start: beyond
	 * most_unknown addresses all others count at address 0.
	 */
	void add_unknown(uint64_t pc, uint32_t owner) { add_unknown({pc, 0, owner}, 1); }

	/**
	 * Count what was sampled in memory of processes that have ended, which
	 * differs from process to process, in one object without addresses, if
	 * it was in more than @p most such processes.
	 * @return how many objects went into that one.
	 */
	size_t join_ended_memory(size_t most);

	/** Who has samples, by Bucket::owner. */
	[[nodiscard]] std::set<uint32_t> owners() const;

	[[nodiscard]] const std::map<std::shared_ptr<Object>, Buckets> &objects() const { return objects_; }
	[[nodiscard]] const Buckets &unknown() const { return unknown_; }
	[[nodiscard]] uint64_t total() const { return total_; }
	/** Samples of some buckets. */
	[[nodiscard]] static uint64_t total_of(const Buckets &buckets)
	{
		uint64_t sum = 0;

		for (const auto &[bucket, samples] : buckets)
			sum += samples;
		return sum;
	}
	/** Samples of one object. */
	[[nodiscard]] uint64_t total_of(const std::shared_ptr<Object> &object) const
	{
		const auto place = objects_.find(object);

		return place == objects_.end() ? 0 : total_of(place->second);
	}

private:
	void add_unknown(Bucket bucket, uint64_t samples)
	{
		if (unknown_.size() >= most_unknown && !unknown_.contains(bucket))
			bucket.address = 0;
		unknown_[bucket] += samples;
		total_ += samples;
	}

	std::map<std::shared_ptr<Object>, Buckets> objects_;
	Buckets unknown_;
	std::shared_ptr<Object> ended_; /* what memory of processes that have ended is joined in */
	uint64_t total_ = 0;
};

} // namespace cli
