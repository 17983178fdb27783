// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/overhead.cpp  The memory for thousands of regions is charged to their
 * user; a command that fails, at whatever point, gives all of it back.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/burner.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <memory>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
constexpr size_t many = 4096;
constexpr size_t room = 16; /* pages that a process may lock */
const uintptr_t text = Burner::usual;

const void *const at_page_one = reinterpret_cast<const void *>(page);

/** Many regions, of which only the last has counters: @p bytes bytes at @p counters. */
std::vector<profil_region> regions_with(const void *counters, size_t bytes)
{
	std::vector<profil_region> regions;

	for (uint64_t i = 1; i < many; i++) {
		regions.push_back(one_counter(16 * i, 16 * i + 16, nullptr));
		regions.back().bytes = 0;
	}
	regions.push_back(one_counter(text, text + CODE_LOOP_RETURN, counters));
	regions.back().bytes = bytes;
	return regions;
}

uint64_t pages_used(const Device &device)
{
	profil_info info = {};

	info.size = sizeof(info);
	need_that(device.call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
	return info.pages_used;
}

/** Become a user who is subject to every limit and may lock only a few pages. */
void become_limited()
{
	const rlimit few = {room * page, room * page};

	become_nobody();
	need(setrlimit(RLIMIT_MEMLOCK, &few), "setrlimit");
}

/** Returns 0 or the error. */
int start(const Device &device, std::span<const profil_region> regions)
{
	auto how = describe(regions, period_nobody);

	return device.call(PROFIL_START, &how);
}

struct Tried {
	int error;
	uint64_t before, after, locked_before, locked_after;
};

/**
 * While a profile with many regions runs, start another one, which fails.  Returns the error, and
 * the user's charges before and after it.
 */
template <typename Make> Tried try_to_start(Make regions)
{
	return in_child([&] {
		Tried tried = {};

		become_limited();
		const Device device;
		const Memory counters(page);
		need_that(start(device, regions_with(counters.at(), page)) == 0, "the first one starts");
		tried.before = pages_used(device);
		tried.locked_before = locked_bytes();
		tried.error = start(device, regions());
		tried.after = pages_used(device);
		tried.locked_after = locked_bytes();
		return tried;
	});
}

void check_unchanged(const Tried &tried, int error)
{
	CHECK(tried.error == error);
	/* More than the counters' page is charged. */
	CHECK(tried.before > 20);
	CHECK(tried.after == tried.before);
	CHECK(tried.locked_before == 0);
	CHECK(tried.locked_after == 0);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a start with many regions that fails is charged for none of them", "[uapi][quota]")
{
	SECTION("above the user's limit of pages")
	{
		const Setting limit = module_parameter("max_user_pages", 1000);
		/* A region so large that the list of its pages takes 1,024 pages. */
		check_unchanged(try_to_start([&] { return regions_with(at_page_one, size_t{2} << 30); }),
				EDQUOT);
	}
	SECTION("above the limit of profiles")
	{
		const Setting limit = module_parameter("max_user_profiles", 1);
		const Memory counters(page);
		check_unchanged(try_to_start([&] { return regions_with(counters.at(), page); }), EDQUOT);
	}
}

TEST_CASE_METHOD(AtRest, "a recording that may not follow its process is charged for nothing",
		 "[record][quota]")
{
	const Setting usual("/proc/sys/kernel/perf_event_paranoid", "2");
	const Setting limit = module_parameter("max_user_watches", 0);

	const bool nothing = in_child([] {
		become_limited();
		const Child target([] { pause(); });
		const Fd proof = open_proof({.pid = target.pid(), .exclude_kernel = true});
		Recording recording(256, period_nobody);
		need_that(recording.try_begin_with(proof) == EDQUOT, "no process may be followed");
		need_that(locked_bytes() == 0, "nothing stays locked");
		return soon([&] { return pages_used(recording.device()) == 0; });
	});
	CHECK(nothing);
}

TEST_CASE_METHOD(AtRest, "a forked child that is refused the memory for its regions is charged for none",
		 "[uapi][quota][fork]")
{
	struct Family {
		uint64_t before, with_child, after, lost;
	};
	const char *lacking = GENERATE("nothing", "pages of the user");
	const std::string lacks = lacking;
	std::unique_ptr<Setting> limit;

	CAPTURE(lacking);
	/* One page less than both profiles need. */
	if (lacks == "pages of the user") {
		const auto one = in_child([] {
			const Device device;
			become_limited();
			const auto regions = regions_with(at_page_one, 8 * page);
			device.start(describe(regions, period_nobody));
			const auto used = pages_used(device);
			device.stop();
			return used;
		});
		limit = std::make_unique<Setting>("/sys/module/profil/parameters/max_user_pages",
						  std::to_string(2 * one - 1));
	}
	const auto family = in_child([&] {
		const Device device;
		const auto regions = regions_with(at_page_one, 8 * page);
		auto how = describe(regions, period_nobody);
		Family result = {};

		become_limited();
		how.flags = PROFIL_FOLLOW;
		device.start(how);
		result.before = pages_used(device);
		result.with_child = in_child([&] { return pages_used(device); });
		need_that(soon([&] { return pages_used(device) == result.before; }),
			  "the child leaves nothing");
		result.after = pages_used(device);
		result.lost = device.status().forks_lost;
		device.stop();
		need_that(pages_used(device) == 0, "nor does its parent");
		return result;
	});
	CHECK(family.before > 20);
	CHECK(family.with_child == (lacks == "nothing" ? 2 : 1) * family.before);
	CHECK(family.after == family.before);
	CHECK(family.lost == (lacks == "nothing" ? 0 : 1));
}
