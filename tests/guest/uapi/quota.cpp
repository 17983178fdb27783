// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/quota.cpp  Limits of a process, of a user and of the module. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/burner.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <deque>
#include <functional>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

int start(const Device &device, const Memory &memory, size_t pages, uint64_t period = period_nobody)
{
	auto region = one_counter(text, text + CODE_LOOP_RETURN, memory.at(), 4);

	region.bytes = pages * page;
	auto how = describe(region, period);
	return device.call(PROFIL_START, &how);
}

/**
 * Start a profile whose list of pages takes @p pages pages, a power of two.  The memory of its
 * counters need not exist.
 */
int start_with_list(const Device &device, size_t pages)
{
	auto region = one_counter(text, text + CODE_LOOP_RETURN, reinterpret_cast<void *>(page), 4);

	region.bytes = pages * (page / sizeof(void *)) * page;
	auto how = describe(region, period_nobody);
	return device.call(PROFIL_START, &how);
}

/** Make ticks count in each of the first pages.  Returns whether every tick has counted there. */
bool counts_in_pages(const Device &device, const Burner &burner, const Memory &memory, size_t pages)
{
	auto how = describe(each_address(text, text + pages * page / 8, memory.at(), 8), period_nobody);
	bool all = true;

	device.start(how);
	for (size_t i = 0; i < pages; i++) {
		/* Not at the page's end, where the loop's return would count in the next page. */
		const uintptr_t at = text + i * page / 8 + 8;
		const auto here = [&] {
			return counter<uint64_t>(memory, at - text) +
			       counter<uint64_t>(memory, at - text + CODE_LOOP_RETURN);
		};
		const auto before = here();
		const auto ticks = burn_ticks(device, burner, at, 3);

		all = all && here() == before + ticks;
	}
	return all;
}

struct Tried {
	int before, at, above;
	uint64_t locked;
};

} // namespace

TEST_CASE_METHOD(AtRest, "RLIMIT_MEMLOCK bounds the pages that stay pinned, and loses no tick",
		 "[uapi][quota]")
{
	const auto locked = in_child([] {
		const Device device;
		const Burner burner;
		const Memory memory(6 * page);
		const rlimit four = {4 * page, 4 * page};

		become_nobody();
		need(setrlimit(RLIMIT_MEMLOCK, &four), "setrlimit");
		need_that(counts_in_pages(device, burner, memory, 6), "every tick counts");
		const uint64_t most = locked_bytes();
		device.stop();
		need_that(locked_bytes() == 0, "nothing stays locked or pinned");
		return most;
	});
	CHECK(locked == 4 * page);
}

TEST_CASE_METHOD(AtRest, "root may lock more than RLIMIT_MEMLOCK", "[uapi][quota]")
{
	const auto locked = in_child([] {
		const Device device;
		const Burner burner;
		const Memory memory(4 * page);
		const rlimit none = {0, 0};

		need(setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
		need_that(counts_in_pages(device, burner, memory, 4), "every tick counts");
		return locked_bytes();
	});
	CHECK(locked == 4 * page);
}

TEST_CASE_METHOD(AtRest, "max_user_pages bounds what stays pinned across all processes of a user",
		 "[uapi][quota]")
{
	const Setting limit = module_parameter("max_user_pages", 5);

	const auto tried = in_child([] {
		const Device device;
		const Burner burner;
		const Memory memory(8 * page);
		Tried result = {};

		become_nobody();
		need_that(counts_in_pages(device, burner, memory, 3), "every tick counts");
		result.at = in_child([&] {
			need_that(counts_in_pages(device, burner, memory, 4),
				  "every tick of the child counts");
			return static_cast<int>(locked_bytes() / page);
		});
		result.locked = locked_bytes();
		return result;
	});
	CHECK(tried.at == 2);
	CHECK(tried.locked == 3 * page);
}

TEST_CASE_METHOD(AtRest, "the list of a self profile's pages is charged, and refused above the user's limit",
		 "[uapi][quota]")
{
	const Setting limit = module_parameter("max_user_pages", 5);

	const auto tried = in_child([] {
		const Device device;
		Tried result = {};

		become_nobody();
		need_that(start_with_list(device, 8) == EDQUOT, "eight are too many");
		result.before = start_with_list(device, 2);
		result.at = in_child([&] { return start_with_list(device, 2); });
		result.above = in_child([&] { return start_with_list(device, 4); });
		return result;
	});
	CHECK(tried.before == 0);
	CHECK(tried.at == 0);
	CHECK(tried.above == EDQUOT);
}

TEST_CASE_METHOD(AtRest, "the limit of pages across all users leaves each user their share", "[uapi][quota]")
{
	const size_t share = 2048;
	const Device device;
	const Setting limit = module_parameter("max_pages", 4);

	CHECK(start_with_list(device, 4) == 0);
	CHECK(module_stat("pinned_pages") == pages() + 4);
	CHECK(in_child([&] {
		      become_nobody();
		      need_that(start_with_list(device, 2 * share) == EDQUOT, "more than the share");
		      return start_with_list(device, share);
	      }) == 0);
	/* CAP_SYS_RESOURCE overrides this limit. */
	CHECK(start_with_list(device, 2 * share) == 0);
	device.stop();
	CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
}

TEST_CASE_METHOD(AtRest, "a user has a limit of profiles", "[uapi][quota]")
{
	const Setting limit = module_parameter("max_user_profiles", 2);
	const Device device;
	const Memory memory(page);

	const auto tried = in_child([&] {
		Tried result = {};

		become_nobody();
		result.before = start(device, memory, 1);
		const auto rest = in_child([&] {
			Tried second = {};
			second.at = start(device, memory, 1);
			second.above = in_child([&] { return start(device, memory, 1); });
			return second;
		});
		result.at = rest.at;
		result.above = rest.above;
		return result;
	});
	CHECK(tried.before == 0);
	CHECK(tried.at == 0);
	CHECK(tried.above == EDQUOT);
	/* The limit does not apply to root. */
	in_child([&] {
		need_that(start(device, memory, 1) == 0, "root's first profile starts");
		return in_child([&] {
			need_that(start(device, memory, 1) == 0, "the second");
			return in_child([&] {
				need_that(start(device, memory, 1) == 0, "the third");
				return 0;
			});
		});
	});
}

TEST_CASE_METHOD(AtRest, "without CAP_PERFMON, the rates of a user have a budget", "[uapi][quota]")
{
	const Device device;
	const Memory memory(page);

	SECTION("which others cannot use up")
	{
		const Setting budget = module_parameter("user_rate_budget", 1000);
		const auto tried = in_child([&] {
			Tried result = {};
			need(setresuid(-1, 1001, -1), "setresuid");
			result.before = start(device, memory, 1, 1'000'000);
			need(setresuid(-1, 0, -1), "setresuid");
			result.at = in_child([&] {
				become_nobody();
				return start(device, memory, 1, 1'000'000);
			});
			return result;
		});
		CHECK(tried.before == 0);
		CHECK(tried.at == 0);
	}
	SECTION("for each user")
	{
		const Setting budget = module_parameter("user_rate_budget", 500);
		const auto tried = in_child([&] {
			Tried result = {};
			become_nobody();
			result.above = start(device, memory, 1, 1'999'999);
			result.before = start(device, memory, 1, 2'000'000);
			result.at = in_child([&] { return start(device, memory, 1, 1'000'000'000); });
			return result;
		});
		CHECK(tried.above == EBUSY);
		CHECK(tried.before == 0);
		CHECK(tried.at == EBUSY);
		CHECK(in_child([&] { return start(device, memory, 1, 1'000'000); }) == 0);
	}
	SECTION("which a profile gives back at its end")
	{
		const Setting budget = module_parameter("user_rate_budget", 1000);
		const unsigned started = in_child([&] {
			unsigned n = 0;

			become_nobody();
			while (n < 1000 && start(device, memory, 1, 1'000'000) == 0) {
				device.stop();
				n++;
			}
			return n;
		});
		CHECK(started == 1000);
	}
}

TEST_CASE_METHOD(AtRest, "an ordinary user may request up to 1024 Hz", "[uapi][quota]")
{
	const Device device;
	const Memory memory(page);

	const auto tried = in_child([&] {
		Tried result = {};
		become_nobody();
		result.at = start(device, memory, 1, 1'000'000'000 / 1024);
		result.above = start(device, memory, 1, 1'000'000'000 / 1024 - 1);
		return result;
	});
	CHECK(tried.at == 0);
	CHECK(tried.above == ERANGE);

	const Setting higher = module_parameter("max_user_rate", 2000);
	CHECK(in_child([&] {
		      become_nobody();
		      return start(device, memory, 1, 500'000);
	      }) == 0);
	const Setting lower = module_parameter("max_rate", 100);
	CHECK(start(device, memory, 1, 10'000'000) == 0);
	CHECK(start(device, memory, 1, 9'999'999) == ERANGE);
	device.stop();
}

namespace {

struct Chain {
	int eight, ninth, own, privileged;
	uint64_t images;
	int after_close, own_after_close;
};

/**
 * As nobody, records one process eight times and tries a ninth time; then records it as root; then,
 * as nobody, closes recordings and tries again.
 */
Chain fill_chain(const std::function<pid_t()> &target)
{
	const Gate filled, tried;
	const Memory told(page, MAP_SHARED);
	ChildOf<Chain> nobody([&] {
		const Memory memory(page);
		Chain result = {};

		become_nobody();
		const pid_t pid = target();
		std::deque<Recording> recordings;
		const Device own;
		const Fd proof = open_proof({.pid = pid, .exclude_kernel = true});
		for (size_t i = 0; i < 8; i++)
			result.eight += recordings.emplace_back(256, period_nobody).try_begin_with(proof, 0);
		Recording ninth(256, period_nobody);
		result.ninth = ninth.try_begin_with(proof, 0);
		result.images = module_stat("images");
		result.own = start(own, memory, 1);
		*told.at<volatile pid_t>() = pid;
		filled.open();
		tried.wait();
		recordings.pop_front();
		result.after_close = ninth.try_begin_with(proof, 0);
		recordings.pop_front();
		result.own_after_close = start(own, memory, 1);
		return result;
	});
	filled.wait();
	const int privileged = Recording(256).try_begin(*told.at<volatile pid_t>(), 0);
	tried.open();
	auto chain = nobody.result();
	chain.privileged = privileged;
	return chain;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a process can have eight profiles, and a ninth only from an administrator",
		 "[uapi][quota]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "2");

	SECTION("another process")
	{
		Child *target = nullptr;
		const auto chain = fill_chain([&] {
			target = new Child([] { pause(); }); /* leaked: ends with the test process */
			return target->pid();
		});
		CHECK(chain.eight == 0);
		CHECK(chain.ninth == EBUSY);
		CHECK(chain.images == 8);
		CHECK(chain.privileged == 0);
		CHECK(chain.after_close == 0);
	}
	SECTION("the caller's own process")
	{
		const auto chain = fill_chain([] { return getpid(); });
		CHECK(chain.eight == 0);
		CHECK(chain.ninth == EBUSY);
		CHECK(chain.own == EBUSY);
		CHECK(chain.privileged == 0);
		CHECK(chain.after_close == 0);
		CHECK(chain.own_after_close == 0);
	}
}

TEST_CASE_METHOD(AtRest, "the memory for many regions is charged", "[uapi][quota]")
{
	const Setting limit = module_parameter("max_user_pages", 100);

	const auto tried = in_child([] {
		const Device device;
		std::vector<profil_region> regions;
		Tried result = {};

		for (uint64_t i = 1; i <= 32768; i++) {
			regions.push_back(one_counter(16 * i, 16 * i + 16, nullptr));
			regions.back().bytes = 0;
		}
		become_nobody();
		auto how = describe(std::span(regions).first(4096), period_nobody);
		result.before = device.call(PROFIL_START, &how);
		profil_info info = {};
		info.size = sizeof(info);
		need_that(device.call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
		result.locked = info.pages_used;
		how = describe(regions, period_nobody);
		result.above = device.call(PROFIL_START, &how);
		return result;
	});
	CHECK(tried.before == 0);
	CHECK(tried.locked >= 4096 * 32 / page);
	CHECK(tried.locked < 100);
	CHECK(tried.above == EDQUOT);
}
