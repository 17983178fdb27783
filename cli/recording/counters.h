// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/counters.h  The memory that the kernel counts in. */
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

/** Coarsest granularity that a region can express: scale 1, pre 3. */
constexpr unsigned shift_max = 19;

/** Finest granularity at which @p text bytes need no more than @p budget bytes of counters. */
unsigned choose_shift(uint64_t text, uint64_t budget);

/** Bytes of the counters for @p text bytes. */
uint64_t counter_memory(uint64_t text, unsigned shift);

/**
 * How long the kernel may count before the counters are drained: half of what one takes
 * to wrap at which every tick of every CPU counts; an hour at most.
 *
 * @param period ns between the ticks of a CPU.
 */
std::chrono::nanoseconds drain_interval(uint64_t period, uint64_t cpus);

/** Memory from profil_counters_alloc(): pages of their own, zeroed. */
class CounterMemory {
public:
	/** Without memory data() is NULL. */
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

	/** As an array whose elements the kernel may write at any time. */
	template <typename T> [[nodiscard]] std::span<T> elements() const
	{
		return {static_cast<T *>(data_), bytes_ / sizeof(T)};
	}

private:
	void *data_;
	uint64_t bytes_;
};

/**
 * A counter for every 1 << shift bytes of some text of an object.
 *
 * Every process that maps the text counts here, so that memory does not grow
 * with processes.
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
	/** The region for [low, high) of a process, where the link-time address @p link is at low. */
	[[nodiscard]] profil_region region(uint64_t low, uint64_t high, uint64_t link) const;
	/** Move what was counted to @p tally, while the kernel goes on counting. */
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
	/** Counters that are there for this text, at @p floor or coarser, or NULL. */
	[[nodiscard]] std::shared_ptr<CounterArray> find(const Object &object, uint64_t low, uint64_t size,
							 unsigned floor, uint32_t owner = 0) const;
	/** New ones, or NULL without memory. */
	std::shared_ptr<CounterArray> add(const std::shared_ptr<Object> &object, uint64_t low, uint64_t size,
					  unsigned shift, uint32_t owner = 0);
	/**
	 * Move all counts to @p tally, and free what no target uses any more.
	 *
	 * A 32-bit counter wraps after 2^32 samples, on one address: done as often
	 * as drain_interval() says, that never happens.
	 */
	void drain(Tally &tally);
	/** The same of those alone that no target uses any more: processes come and go. */
	void drain_unused(Tally &tally);
	/** Memory of all counters now. */
	[[nodiscard]] uint64_t bytes() const;
	/**
	 * "a counter for every byte of text", from all that was ever there;
	 * "samples by address" if nothing was.
	 */
	[[nodiscard]] std::string granularity() const;

private:
	/* By object, owner and first address: a process may have tens of thousands of mappings. */
	using Key = std::tuple<const Object *, uint32_t, uint64_t>;

	void free_unused();

	std::multimap<Key, std::shared_ptr<CounterArray>> arrays_;
	unsigned finest_ = shift_max;
	unsigned coarsest_ = 0;
};

} // namespace cli
