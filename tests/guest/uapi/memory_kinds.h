// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/memory_kinds.h  Counters in memory of each kind. */
#pragma once

#include "tests/guest/support/places.h"

#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace guest {

constexpr size_t page = 4096, huge = 2 << 20;

/**
 * A counter somewhere in a mapping.  Changes apply to a whole unit of the mapping, because a page
 * of hugetlbfs cannot be split.
 */
struct Place {
	std::unique_ptr<Memory> memory;
	volatile uint64_t *counter;
	size_t unit = page;

	void *start() const { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(counter) & -unit); }
};

inline Place place_in(std::unique_ptr<Memory> memory, size_t offset = 0, size_t unit = page)
{
	auto *counter = memory->at<volatile uint64_t>(offset);

	return {std::move(memory), counter, unit};
}

/** A page between two others, so that it can be unmapped without them. */
inline Place anonymous()
{
	auto memory = std::make_unique<Memory>(3 * page);

	need(mprotect(memory->at(), page, PROT_NONE), "mprotect");
	need(mprotect(memory->at(2 * page), page, PROT_NONE), "mprotect");
	return place_in(std::move(memory), page);
}

inline Place in_file(int flags, Fd file, size_t bytes = 3 * page, size_t offset = page)
{
	need(ftruncate(file.get(), static_cast<off_t>(bytes)), "ftruncate");
	return place_in(std::make_unique<Memory>(bytes, flags, file.get()), offset);
}

inline Place shared()
{
	return place_in(std::make_unique<Memory>(3 * page, MAP_SHARED), page);
}

inline Fd memfd()
{
	return Fd(need(memfd_create("counters", MFD_CLOEXEC), "memfd_create"));
}

inline Place shared_file()
{
	return in_file(MAP_SHARED, memfd());
}

inline Place private_file()
{
	return in_file(MAP_PRIVATE, memfd());
}

inline Place transparent_huge()
{
	const auto always = always_huge_pages();
	auto memory = std::make_unique<Memory>(3 * huge);
	const auto aligned = ((memory->address() + huge - 1) & -huge) - memory->address();

	memset(memory->at(aligned), 0, huge);
	return place_in(std::move(memory), aligned + 7 * page);
}

inline Place shared_huge()
{
	return place_in(std::make_unique<Memory>(huge, MAP_SHARED | MAP_HUGETLB), 7 * page, huge);
}

struct Kind {
	const char *name;
	Place (*make)();
};

const Kind kinds[] = {
	{"anonymous memory", anonymous},   {"shared anonymous memory", shared},
	{"a shared file", shared_file},	   {"a private file", private_file},
	{"a huge page", transparent_huge}, {"a page of hugetlbfs", shared_huge},
};

/** Reserves two huge pages while a test runs. */
struct HugePages {
	const Setting some{"/proc/sys/vm/nr_hugepages", "2"};
};

} // namespace guest
