// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/tally.h  Counts samples by object and address. */
#pragma once

#include "cli/objects/object.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

namespace cli {

/** The key of a number of samples: an address, an owner and a source. */
struct Bucket {
	uint64_t address = 0;
	uint32_t owner = 0;  /**< number of the sampled process or program, see Owners; 0: any */
	uint32_t source = 0; /**< index of the source that ticked, among the recording's sources */
	auto operator<=>(const Bucket &) const = default;
};

/** The samples of all processes so far. */
class Tally {
public:
	static constexpr size_t most_unknown = 65536;

	using Buckets = std::map<Bucket, uint64_t>;

	/** Add @p samples of an object. */
	void add(const std::shared_ptr<Object> &object, Bucket bucket, uint64_t samples)
	{
		Buckets &buckets = objects_[object];

		/* Buckets are usually added in order. */
		buckets.try_emplace(buckets.end(), bucket, 0)->second += samples;
		total_ += samples;
	}

	/** Add all samples of another tally. */
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
	 * Count a sample at an address that is not in any known object.
	 *
	 * These addresses change whenever a program starts, so beyond most_unknown
	 * addresses, all others are counted at address 0.
	 */
	void add_unknown(uint64_t pc, uint32_t owner) { add_unknown({pc, owner}, 1); }

	/**
	 * If more than @p most objects are anonymous memory of ended processes, join
	 * their samples in one object.  This object has no addresses, because they differ
	 * from process to process.
	 * @return the number of joined objects.
	 */
	size_t join_ended_memory(size_t most);

	/** The processes or programs that have samples, by Bucket::owner. */
	[[nodiscard]] std::set<uint32_t> owners() const;

	[[nodiscard]] const std::map<std::shared_ptr<Object>, Buckets> &objects() const { return objects_; }
	[[nodiscard]] const Buckets &unknown() const { return unknown_; }
	[[nodiscard]] uint64_t total() const { return total_; }
	/** The sum of the samples in @p buckets. */
	[[nodiscard]] static uint64_t total_of(const Buckets &buckets)
	{
		uint64_t sum = 0;

		for (const auto &[bucket, samples] : buckets)
			sum += samples;
		return sum;
	}
	/** The samples of one object. */
	[[nodiscard]] uint64_t total_of(const std::shared_ptr<Object> &object) const
	{
		const auto place = objects_.find(object);

		return place == objects_.end() ? 0 : total_of(place->second);
	}
	/** The object in @p some with the most samples; nullptr if @p some is empty. */
	[[nodiscard]] std::shared_ptr<Object> busiest_of(const std::set<std::shared_ptr<Object>> &some) const;

	/** The other add_unknown(), for any number of samples. */
	void add_unknown(Bucket bucket, uint64_t samples)
	{
		if (unknown_.size() >= most_unknown && !unknown_.contains(bucket))
			bucket.address = 0;
		unknown_[bucket] += samples;
		total_ += samples;
	}

private:
	std::map<std::shared_ptr<Object>, Buckets> objects_;
	Buckets unknown_;
	std::shared_ptr<Object> ended_; /* where join_ended_memory() merges samples */
	uint64_t total_ = 0;
};

} // namespace cli
