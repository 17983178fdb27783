// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/counters.h  The counters that the kernel increments. */
#pragma once

#include "cli/objects/object.h"
#include "cli/objects/tally.h"
#include "profil.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>

namespace cli {

/** Bytes of a counter; see CounterPool::drain() for why 32 bits are enough. */
constexpr uint64_t counter_bytes = 4;

/** The coarsest granularity that a region can express: scale 1, pre 3. */
constexpr unsigned shift_max = 19;

/** The finest granularity at which @p text bytes need at most @p budget bytes of counters. */
unsigned choose_shift(uint64_t text, uint64_t budget);

/** The bytes of counters for @p text bytes. */
uint64_t counter_memory(uint64_t text, unsigned shift);

/**
 * How long the kernel may count before the counters must be drained: half the time in
 * which a counter wraps if every tick of every CPU increments it, at most an hour.
 *
 * @param period ns between the ticks of a CPU.
 */
std::chrono::nanoseconds drain_interval(uint64_t period, uint64_t cpus);

/** Memory from profil_counters_alloc(): whole pages, zeroed. */
class CounterMemory {
public:
	/** If memory is short, data() is nullptr. */
	explicit CounterMemory(uint64_t bytes)
		: data_(profil_counters_alloc(bytes)), bytes_(data_ ? bytes : 0)
	{
	}
	CounterMemory(const CounterMemory &) = delete;
	CounterMemory &operator=(const CounterMemory &) = delete;
	~CounterMemory()
	{
		if (data_)
			profil_counters_free(data_, bytes_);
	}

	[[nodiscard]] void *data() const { return data_; }
	[[nodiscard]] uint64_t bytes() const { return bytes_; }

	/** The memory as an array, whose elements the kernel may write at any time. */
	template <typename T> [[nodiscard]] std::span<T> elements() const
	{
		return {static_cast<T *>(data_), bytes_ / sizeof(T)};
	}

private:
	void *data_;
	uint64_t bytes_;
};

/**
 * A counter for every 1 << shift bytes of a part of an object's text.
 *
 * All processes that map the text share the array, so that memory does not grow
 * with the number of processes.
 */
class CounterArray {
public:
	/** @param owner as in Bucket. */
	CounterArray(std::shared_ptr<Object> object, uint64_t low, uint64_t size, unsigned shift,
		     uint32_t owner = 0);

	[[nodiscard]] bool ok() const { return memory_.data() != nullptr; }
	[[nodiscard]] const Object &object() const { return *object_; }
	[[nodiscard]] uint64_t bytes() const { return memory_.bytes(); }
	[[nodiscard]] unsigned shift() const { return shift_; }
	[[nodiscard]] uint32_t owner() const { return owner_; }
	/** Does it have counters for all of [low, low + size)? */
	[[nodiscard]] bool covers(uint64_t low, uint64_t size) const;
	/** The region for [low, high) of a process that maps link-time address @p link at @p low. */
	[[nodiscard]] profil_region region(uint64_t low, uint64_t high, uint64_t link) const;
	/** Move the counts to @p tally, while the kernel goes on counting. */
	void drain(Tally &tally);

private:
	std::shared_ptr<Object> object_;
	uint64_t low_;
	uint64_t size_;
	unsigned shift_;
	uint32_t owner_;
	CounterMemory memory_;
};

/** The counters of a recording. */
class CounterPool {
public:
	/** Existing counters for this text, at granularity @p floor or coarser, or nullptr. */
	[[nodiscard]] std::shared_ptr<CounterArray> find(const Object &object, uint64_t low, uint64_t size,
							 unsigned floor, uint32_t owner = 0) const;
	/** New counters, or nullptr if memory is short. */
	std::shared_ptr<CounterArray> add(const std::shared_ptr<Object> &object, uint64_t low, uint64_t size,
					  unsigned shift, uint32_t owner = 0);
	/**
	 * Move all counts to @p tally, and free the counters that no target uses.
	 *
	 * A 32-bit counter wraps after 2^32 samples at one address.  Draining at
	 * every drain_interval() prevents that.
	 */
	void drain(Tally &tally);
	/** Like drain(), but only for counters that no target uses; processes come and go. */
	void drain_unused(Tally &tally);
	/** The memory of all present counters. */
	[[nodiscard]] uint64_t bytes() const;
	/**
	 * "a counter for every byte of text", covering all counters that ever
	 * existed; "samples by address" if there never were any.
	 */
	[[nodiscard]] std::string granularity() const;

private:
	/* By object, owner and first address, because a process may have tens of thousands of mappings. */
	using Key = std::tuple<const Object *, uint32_t, uint64_t>;

	void free_unused();

	std::multimap<Key, std::shared_ptr<CounterArray>> arrays_;
	unsigned finest_ = shift_max;
	unsigned coarsest_ = 0;
};

} // namespace cli
