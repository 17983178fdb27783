// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/process/owner_filter.cpp  The choice of the owners that a system-wide
 * recording keeps. */
#include "cli/process/owner_filter.h"
#include "tests/support/catch.h"

#include <map>
#include <unistd.h>

using namespace cli;

namespace {

/** A filter, and the owners that the module would know. */
class Owned {
public:
	explicit Owned(const Selection &selection, bool follow = true)
		: filter(*Criteria::create(selection), follow, [this](uint32_t owner) {
			  looks++;
			  return now.contains(owner) ? std::optional(now.at(owner)) : std::nullopt;
		  })
	{
	}

	void add(uint32_t owner, const OwnerFacts &facts)
	{
		now[owner] = facts;
		filter.add(owner, facts);
	}

	/** Match in a new round. */
	bool matches(uint32_t owner)
	{
		filter.begin_round();
		return filter.matches(owner);
	}

	std::map<uint32_t, OwnerFacts> now;
	unsigned looks = 0;
	OwnerFilter filter;
};

Selection of_name(const std::string &name)
{
	Selection selection;

	selection.names = {name};
	return selection;
}

/* Above every possible PID. */
constexpr pid_t pid = 100000000;

} // namespace

TEST_CASE("an owner matches by name and user, and stays so", "[cli][owner-filter]")
{
	Selection selection = of_name("^a$");

	selection.users = {7};

	Owned owned(selection);

	owned.add(6, {"a", pid, 7, 0, 0, false});
	owned.add(7, {"a", pid + 1, 8, 0, 0, false});
	owned.add(8, {"b", pid + 2, 7, 0, 0, false});
	CHECK(owned.matches(6));
	CHECK_FALSE(owned.matches(7));
	CHECK_FALSE(owned.matches(8));
	CHECK_FALSE(owned.matches(9));
	owned.now[6].user = 8;
	owned.now[7].user = 7;
	CHECK(owned.matches(6));
	CHECK(owned.matches(7));
	CHECK(owned.filter.processes() == 2);
	CHECK(owned.filter.named() == std::vector<std::string>{"a (pid 100000000)", "a (pid 100000001)"});
}

TEST_CASE("an owner without a match is looked at once a round, and not after its end", "[cli][owner-filter]")
{
	Owned owned(of_name("^a$"));

	owned.add(6, {"b", pid, 0, 0, 0, false});
	owned.filter.begin_round();
	for (int i = 0; i < 3; i++)
		CHECK_FALSE(owned.filter.matches(6));
	CHECK(owned.looks == 1);
	owned.now[6].ended = true;
	for (int i = 0; i < 3; i++)
		CHECK_FALSE(owned.matches(6));
	CHECK(owned.looks == 2);
}

TEST_CASE("descendants of a match are kept, and the programs they execute", "[cli][owner-filter]")
{
	Owned owned(of_name("^a$"));

	owned.add(6, {"a", pid, 0, 0, 0, true});
	owned.add(7, {"b", pid, 0, 0, 6, false});
	owned.add(8, {"b", pid + 1, 0, 0, 7, false});
	owned.add(9, {"c", pid + 1, 0, 0, 8, false});
	owned.add(10, {"c", pid + 2, 0, 0, 0, false});
	CHECK(owned.matches(9));
	CHECK(owned.matches(8));
	CHECK_FALSE(owned.matches(10));
	/* Owners 6 and 7 are one process, before and after an exec; so are 8 and 9. */
	CHECK(owned.filter.processes() == 2);
	CHECK(owned.filter.named().size() == 1);
}

TEST_CASE("a child is kept from when its parent matches", "[cli][owner-filter]")
{
	Owned owned(of_name("^a$"));

	owned.add(6, {"b", pid, 0, 0, 0, false});
	owned.add(7, {"c", pid + 1, 0, 0, 6, false});
	CHECK_FALSE(owned.matches(7));
	owned.now[6].name = "a";
	CHECK(owned.matches(7));
	CHECK(owned.filter.processes() == 2);
}

TEST_CASE("without following, a match is kept with what it executes, but no child", "[cli][owner-filter]")
{
	Owned owned(of_name("^a$"), false);

	owned.add(6, {"a", pid, 0, 0, 0, false});
	owned.add(7, {"b", pid, 0, 0, 6, false});
	owned.add(8, {"c", pid + 1, 0, 0, 7, false});
	CHECK(owned.matches(7));
	CHECK_FALSE(owned.matches(8));
	CHECK(owned.filter.processes() == 1);
	/* A child has its parent's name until it executes a program. */
	owned.add(9, {"a", pid + 2, 0, 0, 6, true});
	owned.add(10, {"d", pid + 2, 0, 0, 9, false});
	CHECK(owned.matches(9));
	CHECK_FALSE(owned.matches(10));
}

TEST_CASE("this process does not match", "[cli][owner-filter]")
{
	Owned owned(of_name(""));

	owned.add(6, {"a", getpid(), 0, 0, 0, false});
	CHECK_FALSE(owned.matches(6));
	CHECK(owned.filter.processes() == 0);
}

TEST_CASE("a child keeps the ancestors of a parent that is forgotten", "[cli][owner-filter]")
{
	Owned owned(of_name("^a$"));

	owned.add(6, {"b", pid, 0, 0, 0, false});
	owned.add(7, {"c", pid + 1, 0, 0, 6, true});
	owned.add(8, {"d", pid + 2, 0, 0, 7, false});
	owned.add(9, {"a", pid + 3, 0, 0, 0, true});
	owned.add(10, {"e", pid + 4, 0, 0, 9, false});
	owned.filter.forget({7, 9});
	owned.now.erase(7);
	CHECK_FALSE(owned.matches(8));
	owned.now[6].name = "a";
	CHECK(owned.matches(8));
	CHECK_FALSE(owned.matches(7));
	CHECK(owned.matches(10));
}
