// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/accounts.cpp  Limits apply to a user as a whole, however many
 * processes and subordinate user IDs the user has, so that others do not run short.
 */
#include "tests/guest/hostile/holder.h"
#include "tests/guest/record/support.h"

using namespace guest;
using namespace guest::hostile;

namespace {

const std::string statistics = "/sys/class/misc/profil/";

/**
 * True if the profile has this many pages pinned.  Ticks counted in each of its pages, pinned or
 * not.
 */
bool pins(const Holder &holder, size_t pages)
{
	CAPTURE(holder.error(), holder.pinned());
	return !holder.error() && holder.pinned() == pages;
}

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

	CHECK(pins(most, 4));
	CHECK(pins(more, 0));
	CHECK(pins(other, 4));
	CHECK(pages_of(attacker) == 4);
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

namespace {

/**
 * The errors of two recordings of a user's processes, and of the second again after the first has
 * ended.
 */
struct Errors {
	int first, second, again;
};

Errors record_two(id_t user)
{
	return in_child([=] {
		become(user, 0);
		const Child targets[] = {Child([] { pause(); }), Child([] { pause(); })};
		const Memory tables[] = {Memory(page), Memory(page)};
		Device first;
		const Device second;
		Errors errors;

		errors.first = try_record(first, targets[0].pid(), tables[0]);
		errors.second = try_record(second, targets[1].pid(), tables[1]);
		/* A refused recording is charged for nothing. */
		first.close();
		soon([&] { return (errors.again = try_record(second, targets[1].pid(), tables[1])) == 0; });
		return errors;
	});
}

} // namespace

TEST_CASE_METHOD(AtRest, "recordings are charged to the limits of the user who begins them", "[hostile]")
{
	const PerfForUsers users;
	/* A recording takes nine or ten pages: the table, hash chains and numbers. */
	const std::pair<const char *, unsigned> limits[] = {
		{"max_user_profiles", 1}, {"max_user_pages", 12}, {"max_user_watches", 1}};

	for (const auto &[name, most] : limits) {
		REQUIRE(soon([] { return pages_of(attacker) == 0; }));
		const Setting limit = module_parameter(name, most);
		const auto errors = record_two(attacker);

		CAPTURE(name);
		CHECK(errors.first == 0);
		CHECK(errors.second == EDQUOT);
		CHECK(errors.again == 0);
	}
}

TEST_CASE_METHOD(AtRest, "a user who follows as many processes as they may leaves others theirs", "[hostile]")
{
	const PerfForUsers users;
	const Setting limit = module_parameter("max_user_watches", 1);
	const Gate recorded;
	const Child follower = as_user(attacker, [&] {
		const Device device;
		const Memory table(page);

		record(device, getpid(), table);
		recorded.open();
		pause();
	});

	recorded.wait();
	for (const auto &[user, error] : {std::pair(attacker, EDQUOT), std::pair(victim, 0)})
		CHECK(in_child([=] {
			      become(user, 0);
			      const Device device;
			      const Memory table(page);
			      return try_record(device, getpid(), table);
		      }) == error);
}

TEST_CASE_METHOD(AtRest, "forks of processes that a privileged user records use up no watches",
		 "[hostile][record]")
{
	const Setting watches = module_parameter("max_user_watches", 1);
	const Gate go, forked;
	const Child stranger([&] {
		std::vector<Child> children;

		go.wait();
		for (int i = 0; i < 5; i++)
			children.emplace_back([] { pause(); });
		forked.open();
		pause();
	});
	const Child daemon([] { pause(); });
	Recording first, second;

	first.begin(stranger.pid());
	go.open();
	forked.wait();
	second.begin(daemon.pid());
	first.finish();
	second.finish();
	CHECK(first.status().joined == 6);
	CHECK(first.status().forks_lost == 0);
}

TEST_CASE_METHOD(AtRest, "a new user namespace lifts no limit", "[hostile]")
{
	const Setting limit = module_parameter("max_user_pages", 3);
	struct Errors {
		int period, all;
		Held inside, outside;
		uint64_t used, most;
	};

	const auto errors = in_child([&] {
		become(attacker, 0);
		const Gate begin, end;
		ChildOf<Errors> inside([&] {
			const Device device;
			const Memory memory(4 * page);
			profil_stop_all stop_all = {};
			profil_info info = {};
			Errors result = {};

			enter_user_namespace();
			auto how = count_in(memory.at());
			how.period = 1'000'000'000 / 1024 - 1;
			result.period = device.call(PROFIL_START, &how);
			stop_all.size = sizeof(stop_all);
			result.all = device.call(PROFIL_STOP_ALL, &stop_all);
			result.inside = hold_pages(device, memory);
			info.size = sizeof(info);
			need_that(device.call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
			result.used = info.pages_used;
			result.most = info.pages_max;
			begin.open();
			end.wait();
			return result;
		});
		begin.wait();
		const Held outside = hold_pages(Device(), Memory(page));
		end.open();
		Errors result = inside.result();
		result.outside = outside;
		return result;
	});
	CHECK(errors.period == ERANGE);
	CHECK(errors.all == EPERM);
	CHECK(errors.inside.error == 0);
	CHECK(errors.inside.pinned == 3);
	CHECK(errors.used == 3);
	CHECK(errors.most == 3);
	/* Pages that are used inside the user namespace also count outside. */
	CHECK(errors.outside.error == 0);
	CHECK(errors.outside.pinned == 0);
}

TEST_CASE_METHOD(AtRest, "the pages of subordinate user IDs are their owner's", "[hostile]")
{
	const Setting limit = module_parameter("max_user_pages", 4);
	const auto first = Holder::of_user(attacker, 2), second = Holder::subordinate(1, 2);
	const auto third = Holder::subordinate(2, 1), other = Holder::of_user(victim, 4);

	CHECK(pins(first, 2));
	CHECK(pins(second, 2));
	CHECK(pins(third, 0));
	CHECK(pins(other, 4));
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

	CHECK(pins(first, 2));
	CHECK(pins(second, 0));
	CHECK(pins(other, 2));
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
	const LockedLimit limit(20);
	{
		const auto first = Holder::of_user(attacker, 15), second = Holder::of_user(attacker, 6);
		const auto third = Holder::of_user(attacker, 1), other = Holder::of_user(victim, 20);

		CHECK(pins(first, 15));
		CHECK(pins(second, 5));
		CHECK(pins(third, 0));
		CHECK(pins(other, 20));
	}
	/* Ended profiles no longer count. */
	CHECK(soon([] { return pins(Holder::of_user(attacker, 20), 20); }));
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
