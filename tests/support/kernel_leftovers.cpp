// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/kernel_leftovers.cpp  Things that a test may leave behind in the kernel. */
#include "tests/support/leftovers.h"

#include <fstream>
#include <string>

namespace {

/** 0 if there is no such file, for example because the module is not loaded. */
int64_t number_in(const std::string &path)
{
	int64_t number = 0;

	std::ifstream(path) >> number;
	return number;
}

int64_t profiles()
{
	return number_in("/sys/class/misc/profil/profiles");
}

int64_t images()
{
	return number_in("/sys/class/misc/profil/images");
}

int64_t pages_of_counters()
{
	return number_in("/sys/class/misc/profil/pinned_pages");
}

int64_t references()
{
	return number_in("/sys/module/profil/refcnt");
}

int64_t pinned_pages()
{
	/* Fold each CPU's part of these counts into the totals. */
	std::ofstream("/proc/sys/vm/stat_refresh") << "1" << std::flush;

	std::ifstream file("/proc/vmstat");
	std::string name;
	int64_t number, pinned = 0;

	while (file >> name >> number) {
		if (name == "nr_foll_pin_acquired")
			pinned += number;
		if (name == "nr_foll_pin_released")
			pinned -= number;
	}
	return pinned;
}

/* All taints but O and E: tests may load out-of-tree and unsigned modules. */
int64_t taints()
{
	return number_in("/proc/sys/kernel/tainted") & ~(1 << 12 | 1 << 13);
}

const support::Leftovers in_kernel({
	{"profiles", profiles},
	{"images of profiles", images},
	{"pinned pages of counters", pages_of_counters},
	{"references to the module", references},
	{"pinned pages in the whole kernel", pinned_pages},
	{"taints of the kernel", taints},
});

} // namespace
