// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/counters.h"

#include "cli/base/numbers.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr unsigned pre_max = 3;
constexpr uint32_t scale_one = 1U << 16;
/* How many arrays back to search for one that covers the range; beyond that, a new one is made. */
constexpr int most_overlapping = 64;

/* Counters checked together: nearly always, all of them are 0. */
constexpr size_t run = 16;

/* The kernel may add to a counter at any time, so accesses must be atomic. */
uint32_t look_at(uint32_t &counter)
{
	return std::atomic_ref<uint32_t>(counter).load(std::memory_order_relaxed);
}

uint32_t take(uint32_t &counter)
{
	return look_at(counter) ? std::atomic_ref<uint32_t>(counter).exchange(0, std::memory_order_relaxed)
				: 0;
}

/* Reads two counters at a time: the kernel stores each of them atomically. */
bool all_are_0(std::span<uint32_t, run> counters)
{
	using Pair [[gnu::may_alias]] = uint64_t;

	const Pair *const pairs = reinterpret_cast<const Pair *>(counters.data());

	static_assert(run == 16);
	const auto look = [pairs](size_t i) { return __atomic_load_n(&pairs[i], __ATOMIC_RELAXED); };

	return !(look(0) | look(1) | look(2) | look(3) | look(4) | look(5) | look(6) | look(7));
}

uint64_t counters_for(uint64_t text, unsigned shift)
{
	return (text + (uint64_t{1} << shift) - 1) >> shift;
}

} // namespace

unsigned choose_shift(uint64_t text, uint64_t budget)
{
	unsigned shift = 0;

	while (shift < shift_max && counters_for(text, shift) > budget / counter_bytes)
		shift++;
	return shift;
}

uint64_t counter_memory(uint64_t text, unsigned shift)
{
	return counters_for(text, shift) * counter_bytes;
}

std::chrono::nanoseconds drain_interval(uint64_t period, uint64_t cpus)
{
	constexpr uint64_t longest = std::chrono::nanoseconds(std::chrono::hours(1)).count();
	constexpr uint64_t ticks = uint64_t{1} << 31;
	const uint64_t each = ticks / std::max<uint64_t>(cpus, 1);

	return std::chrono::nanoseconds(each > longest / std::max<uint64_t>(period, 1) ? longest
										       : each * period);
}

CounterArray::CounterArray(std::shared_ptr<Object> object, uint64_t low, uint64_t size, unsigned shift,
			   uint32_t owner)
	: object_(std::move(object)), low_(low), size_(size), shift_(shift), owner_(owner),
	  memory_(counter_memory(size, shift))
{
}

bool CounterArray::covers(uint64_t low, uint64_t size) const
{
	return low >= low_ && size <= size_ && low - low_ <= size_ - size;
}

profil_region CounterArray::region(uint64_t low, uint64_t high, uint64_t link) const
{
	const unsigned pre = std::min(shift_, pre_max);
	profil_region region = {};

	region.low = low;
	region.high = high;
	region.offset = low - (link - low_);
	region.buffer = reinterpret_cast<uintptr_t>(memory_.data());
	region.bytes = memory_.bytes();
	region.scale = scale_one >> (shift_ - pre);
	region.width = counter_bytes;
	region.pre = static_cast<uint8_t>(pre);
	return region;
}

void CounterArray::drain(Tally &tally)
{
	const std::span<uint32_t> counters = memory_.elements<uint32_t>();

	for (size_t first = 0; first < counters.size(); first += run) {
		const size_t number = std::min(run, counters.size() - first);

		if (number == run && all_are_0(counters.subspan(first).first<run>()))
			continue;
		for (size_t i = first; i < first + number; i++) {
			if (const uint32_t samples = take(counters[i]))
				tally.add(object_, {low_ + (uint64_t{i} << shift_), shift_, owner_}, samples);
		}
	}
}

std::shared_ptr<CounterArray> CounterPool::find(const Object &object, uint64_t low, uint64_t size,
						unsigned floor, uint32_t owner) const
{
	auto place = arrays_.upper_bound({&object, owner, low});
	std::shared_ptr<CounterArray> best;

	for (int steps = 0; steps < most_overlapping && place != arrays_.begin(); steps++) {
		const std::shared_ptr<CounterArray> &array = (--place)->second;

		if (&array->object() != &object || array->owner() != owner)
			break;
		if (array->shift() < floor || !array->covers(low, size))
			continue;
		if (!best || array->shift() < best->shift())
			best = array;
	}
	return best;
}

std::shared_ptr<CounterArray> CounterPool::add(const std::shared_ptr<Object> &object, uint64_t low,
					       uint64_t size, unsigned shift, uint32_t owner)
{
	auto array = std::make_shared<CounterArray>(object, low, size, shift, owner);

	if (!array->ok())
		return nullptr;
	arrays_.emplace(Key(object.get(), owner, low), array);
	finest_ = std::min(finest_, shift);
	coarsest_ = std::max(coarsest_, shift);
	return array;
}

void CounterPool::free_unused()
{
	std::erase_if(arrays_, [](const auto &entry) { return entry.second.use_count() == 1; });
}

void CounterPool::drain(Tally &tally)
{
	for (const auto &[key, array] : arrays_)
		array->drain(tally);
	free_unused();
}

void CounterPool::drain_unused(Tally &tally)
{
	for (const auto &[key, array] : arrays_) {
		if (array.use_count() == 1)
			array->drain(tally);
	}
	free_unused();
}

uint64_t CounterPool::bytes() const
{
	uint64_t sum = 0;

	for (const auto &[key, array] : arrays_)
		sum += array->bytes();
	return sum;
}

std::string CounterPool::granularity() const
{
	if (finest_ > coarsest_)
		return "samples by address";
	if (finest_ == coarsest_ && finest_ == 0)
		return "";
	if (finest_ == coarsest_)
		return fmt::format("a counter for every {} bytes of text", grouped(uint64_t{1} << finest_));
	return fmt::format("a counter for every {} to {} bytes of text", grouped(uint64_t{1} << finest_),
			   grouped(uint64_t{1} << coarsest_));
}

} // namespace cli
