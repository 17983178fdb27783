// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/counter_memory.h  Memory in which the kernel counts. */
#pragma once

#include "profil.h"

#include <cstdint>
#include <span>

namespace cli {

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

} // namespace cli
