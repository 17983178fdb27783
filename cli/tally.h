// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tally.h  Samples by object and address. */
#pragma once

#include "cli/object.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>

namespace cli {

/** A run of 1 << shift bytes of text, which share a counter. */
struct Bucket {
	uint64_t address = 0;
	unsigned shift = 0;
	uint32_t owner = 0; /**< the process that was sampled, see Owners; 0: any */
	auto operator<=>(const Bucket &) const = default;
};

/** What was sampled so far, of all processes together; only ever grows. */
class Tally {
public:
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
		for (const auto &[bucket, samples] : other.unknown_) {
			unknown_[bucket] += samples;
			total_ += samples;
		}
	}

	/** Count a sample at an address of a process where nothing is known to be. */
	void add_unknown(uint64_t pc, uint32_t owner)
	{
		unknown_[{pc, 0, owner}]++;
		total_++;
	}

	[[nodiscard]] const std::map<std::shared_ptr<Object>, Buckets> &objects() const { return objects_; }
	[[nodiscard]] const Buckets &unknown() const { return unknown_; }
	[[nodiscard]] uint64_t total() const { return total_; }
	/** Samples of one object. */
	[[nodiscard]] uint64_t total_of(const std::shared_ptr<Object> &object) const
	{
		const auto place = objects_.find(object);
		uint64_t sum = 0;

		if (place != objects_.end()) {
			for (const auto &[bucket, samples] : place->second)
				sum += samples;
		}
		return sum;
	}

private:
	std::map<std::shared_ptr<Object>, Buckets> objects_;
	Buckets unknown_;
	uint64_t total_ = 0;
};

} // namespace cli
