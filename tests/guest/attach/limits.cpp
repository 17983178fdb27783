// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/limits.cpp  A user's limits hold for attached profiles and inside namespaces. */
#include "tests/guest/support/credentials.h"
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const std::string paranoid = "/proc/sys/kernel/perf_event_paranoid";

} // namespace

TEST_CASE_METHOD(AtRest, "a new user namespace lifts no limit", "[attach][privilege]")
{
	const Setting limit = module_parameter("max_user_pages", 3);
	const auto start = [](const Device &device, const Memory &memory, size_t pages,
			      uint64_t period = period_nobody) {
		auto region = region_on(memory.at());
		region.bytes = pages * page;
		auto how = describe(region, period);
		return device.call(PROFIL_START, &how);
	};
	struct Errors {
		int above, period, all, at, outside;
		uint64_t used, most;
	};

	const auto errors = in_child([&] {
		as_nobody();
		const Gate begin, end;
		ChildOf<Errors> inside([&] {
			const Device device;
			const Memory memory(4 * page);
			profil_stop_all stop_all = {};
			profil_info info = {};
			Errors result = {};

			enter_user_namespace();
			result.above = start(device, memory, 4);
			result.period = start(device, memory, 3, 1'000'000'000 / 1024 - 1);
			stop_all.size = sizeof(stop_all);
			result.all = device.call(PROFIL_STOP_ALL, &stop_all);
			result.at = start(device, memory, 3);
			info.size = sizeof(info);
			need_that(device.call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
			result.used = info.pages_used;
			result.most = info.pages_max;
			begin.open();
			end.wait();
			return result;
		});
		begin.wait();
		const Device device;
		const Memory memory(page);
		const int outside = start(device, memory, 1);
		end.open();
		Errors result = inside.result();
		result.outside = outside;
		return result;
	});
	CHECK(errors.above == EDQUOT);
	CHECK(errors.period == ERANGE);
	CHECK(errors.all == EPERM);
	CHECK(errors.at == 0);
	CHECK(errors.used == 3);
	CHECK(errors.most == 3);
	/* The pages used inside count outside as well. */
	CHECK(errors.outside == EDQUOT);
}

TEST_CASE_METHOD(AtRest, "attached profiles are charged to the attaching user's limits",
		 "[attach][privilege]")
{
	const Setting usual(paranoid, "2");
	struct Errors {
		int first, second, again;
	};
	const auto attach_two = [] {
		return in_child([] {
			as_nobody();
			const Child targets[] = {Child([] { pause(); }), Child([] { pause(); })};
			Device device;
			const Device other;
			const Memory memory(page);
			const auto attach = [&](const Device &to, const Child &target) {
				const Fd proof = open_proof({.pid = target.pid(), .exclude_kernel = true});
				auto how = describe(region_on(memory.at()), period_nobody);
				how.proof = proof.get();
				return to.call(PROFIL_ATTACH, &how);
			};
			Errors result;

			result.first = attach(device, targets[0]);
			result.second = attach(other, targets[1]);
			/* A refused attach keeps nothing. */
			device.close();
			soon([&] { return (result.again = attach(other, targets[1])) == 0; });
			return result;
		});
	};
	for (const char *name : {"max_user_profiles", "max_user_pages", "max_user_watches"}) {
		const Setting limit = module_parameter(name, 1);
		const auto errors = attach_two();

		CAPTURE(name);
		CHECK(errors.first == 0);
		CHECK(errors.second == EDQUOT);
		CHECK(errors.again == 0);
	}
}

TEST_CASE_METHOD(AtRest, "a process has room for 256 profiles, whoever makes them", "[attach][hostile]")
{
	const size_t room = 256;
	const Child target([] { pause(); });
	const Fd proof = proof_of(target.pid());
	const Memory counters(page);
	std::vector<std::unique_ptr<Device>> sessions;
	auto how = describe(region_on(counters.at()));
	size_t made = 0;

	how.proof = proof.get();
	for (size_t i = 0; i < room + 1; i++) {
		sessions.push_back(std::make_unique<Device>());
		if (sessions.back()->call(PROFIL_ATTACH, &how))
			break;
		made++;
	}
	/* Others could have bindings in the same bucket, but none does now. */
	CHECK(made == room);
	CHECK(sessions.back()->call(PROFIL_ATTACH, &how) == EBUSY);
	CHECK(module_stat("longest_chain") == room);
	/* A session that ends makes room. */
	sessions.front()->close();
	CHECK(soon([&] { return sessions.back()->call(PROFIL_ATTACH, &how) == 0; }));
}
