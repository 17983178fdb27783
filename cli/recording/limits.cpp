// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/limits.h"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace cli {
namespace {

bool set_limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
	const rlimit wanted = {soft, hard};

	return !setrlimit(resource, &wanted);
}

/* Exceeding the hard limit needs CAP_SYS_RESOURCE; up to it, no privilege is needed. */
void raise_limit(__rlimit_resource_t resource, rlim_t wanted)
{
	rlimit now;

	if (getrlimit(resource, &now) || now.rlim_cur >= wanted)
		return;
	if (!set_limit(resource, wanted, std::max(now.rlim_max, wanted)))
		set_limit(resource, std::min(now.rlim_max, wanted), now.rlim_max);
}

} // namespace

void raise_limits(uint64_t pinned)
{
	raise_limit(RLIMIT_MEMLOCK, pinned);
	/* Every mapped object stays open until its names are read. */
	raise_limit(RLIMIT_NOFILE, 65536);
}

uint64_t pin_limit(const profil_info &info, uint64_t wanted)
{
	const uint64_t pages = info.pages_max > info.pages_used ? info.pages_max - info.pages_used : 0;
	const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
	rlimit memlock = {RLIM_INFINITY, RLIM_INFINITY};

	getrlimit(RLIMIT_MEMLOCK, &memlock);
	return std::min({wanted, pages > wanted / page ? wanted : pages * page,
			 static_cast<uint64_t>(memlock.rlim_cur)});
}

} // namespace cli
