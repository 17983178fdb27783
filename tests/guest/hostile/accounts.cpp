// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/accounts.cpp  Limits apply to a user as a whole, however many
 * processes and subordinate user IDs the user has, so that others do not run short.
 */
#include "tests/guest/hostile/holder.h"

using namespace guest;
using namespace guest::hostile;

namespace {

const std::string statistics = "/sys/class/misc/profil/";

/** A resource limit for the children that are made while this lives. */
class LockedLimit {
public:
	explicit LockedLimit(size_t pages)
	{
		const rlimit limit = {pages * page, pages * page};

		need(getrlimit(RLIMIT_MEMLOCK, &before_), "getrlimit");
		need(setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
	}
	LockedLimit(const LockedLimit &) = delete;
	LockedLimit &operator=(const LockedLimit &) = delete;
	~LockedLimit() { setrlimit(RLIMIT_MEMLOCK, &before_); }

private:
	rlimit before_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "a user who has used up their pages leaves others theirs", "[hostile]")
{
	const Setting limit = module_parameter("max_user_pages", 4);
	const auto most = Holder::of_user(attacker, 4), more = Holder::of_user(attacker, 1);
	const auto other = Holder::of_user(victim, 4);

	CHECK(most.error() == 0);
	CHECK(more.error() == EDQUOT);
	CHECK(other.error() == 0);
}

TEST_CASE_METHOD(AtRest, "a user who has used up their profiles leaves others theirs", "[hostile]")
{
	const Setting limit = module_parameter("max_user_profiles", 1);
	const auto most = Holder::of_user(attacker, 1), more = Holder::of_user(attacker, 1);
	const auto other = Holder::of_user(victim, 1);

	CHECK(most.error() == 0);
	CHECK(more.error() == EDQUOT);
	CHECK(other.error() == 0);
}

TEST_CASE_METHOD(AtRest, "a user who has used up their rate leaves others theirs", "[hostile]")
{
	const Setting limit = module_parameter("user_rate_budget", 1000);
	const auto most = Holder::of_user(attacker, 1), more = Holder::of_user(attacker, 1);
	const auto other = Holder::of_user(victim, 1);

	CHECK(most.error() == 0);
	CHECK(more.error() == EBUSY);
	CHECK(other.error() == 0);
}

TEST_CASE_METHOD(AtRest, "a user who follows as many processes as they may leaves others theirs", "[hostile]")
{
	const PerfForUsers users;
	const Setting limit = module_parameter("max_user_watches", 1);
	const Memory shared(page, MAP_SHARED);
	auto *const errors = shared.at<int>();
	const auto attach = [](const Device &device, const Memory &counters) {
		auto how = count_in(counters.at());
		const Fd proof = user_proof(getpid());

		how.proof = proof.get();
		return device.call(PROFIL_ATTACH, &how);
	};
	const Gate attached;
	const Child follower = as_user(attacker, [&] {
		const Device first, second;
		const Memory counters(page);

		errors[0] = attach(first, counters);
		errors[1] = attach(second, counters);
		attached.open();
		pause();
	});

	attached.wait();
	CHECK(errors[0] == 0);
	CHECK(errors[1] == EDQUOT);
	CHECK(in_child([&] {
		      become(victim, 0);
		      const Device device;
		      const Memory counters(page);
		      return attach(device, counters);
	      }) == 0);
}

TEST_CASE_METHOD(AtRest, "the pages of subordinate user IDs are their owner's", "[hostile]")
{
	const Setting limit = module_parameter("max_user_pages", 4);
	const auto first = Holder::of_user(attacker, 2), second = Holder::subordinate(1, 2);
	const auto third = Holder::subordinate(2, 1), other = Holder::of_user(victim, 4);

	CHECK(first.error() == 0);
	CHECK(second.error() == 0);
	CHECK(third.error() == EDQUOT);
	CHECK(other.error() == 0);
}

TEST_CASE_METHOD(AtRest, "the profiles of subordinate user IDs are their owner's", "[hostile]")
{
	const Setting limit = module_parameter("max_user_profiles", 2);
	const auto first = Holder::of_user(attacker, 1), second = Holder::subordinate(1, 1);
	const auto third = Holder::subordinate(2, 1), other = Holder::of_user(victim, 1);

	CHECK(first.error() == 0);
	CHECK(second.error() == 0);
	CHECK(third.error() == EDQUOT);
	CHECK(other.error() == 0);
}

TEST_CASE_METHOD(AtRest, "subordinate user IDs cannot use up what all users share", "[hostile]")
{
	const Setting limit = module_parameter("max_user_pages", 2), sum = module_parameter("max_pages", 4);
	const auto first = Holder::subordinate(1, 2), second = Holder::subordinate(2, 2);
	const auto other = Holder::of_user(victim, 2);

	CHECK(first.error() == 0);
	CHECK(second.error() == EDQUOT);
	CHECK(other.error() == 0);
}

TEST_CASE_METHOD(AtRest, "subordinate user IDs share the rate of their owner", "[hostile]")
{
	const Setting limit = module_parameter("user_rate_budget", 1000);
	const auto first = Holder::subordinate(1, 1), second = Holder::subordinate(2, 1);
	const auto other = Holder::of_user(victim, 1);

	CHECK(first.error() == 0);
	CHECK(second.error() == EBUSY);
	CHECK(other.error() == 0);
}

TEST_CASE_METHOD(AtRest, "RLIMIT_MEMLOCK bounds what all processes of a user pin together", "[hostile]")
{
	const LockedLimit limit(2048); /* 8 MiB, as on most machines */
	{
		const auto first = Holder::of_user(attacker, 1500), second = Holder::of_user(attacker, 549);
		const auto third = Holder::of_user(attacker, 548), other = Holder::of_user(victim, 2048);

		CHECK(first.error() == 0);
		CHECK(second.error() == ENOMEM);
		CHECK(third.error() == 0);
		CHECK(other.error() == 0);
		CHECK(Holder::of_user(attacker, 1).error() == ENOMEM);
	}
	/* Ended profiles no longer count. */
	CHECK(soon([] { return Holder::of_user(attacker, 2048).error() == 0; }));
}

TEST_CASE_METHOD(AtRest, "no user but root sees how the module's table is filled", "[hostile]")
{
	const auto path = statistics + "longest_chain";
	const auto error = in_child([&] {
		become(attacker, 0);
		const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
		return file.get() < 0 ? errno : 0;
	});

	CHECK(error == EACCES);
	CHECK(module_stat("longest_chain") == 0);
}
