// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/events.cpp  A process samples events of its own. */
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <cerrno>
#include <map>
#include <memory>
#include <sstream>
#include <sys/mman.h>

using namespace guest;
using namespace lib_test;
using namespace support;

namespace {

constexpr size_t page = 4096;

/** The lines "COUNT WHAT in FUNCTION", by the last two words. */
std::map<std::string, unsigned> counts_in(const std::string &text)
{
	std::istringstream lines(text);
	std::map<std::string, unsigned> counts;
	std::string line;

	while (std::getline(lines, line)) {
		std::istringstream words(line);
		std::string what, in, function;
		unsigned count = 0;

		if (words >> count >> what >> in >> function && in == "in")
			counts[what.append(" in ").append(function)] += count;
	}
	return counts;
}

/** Touches pages for the first time. */
__attribute__((noinline)) void touch(size_t pages)
{
	Memory fresh(pages * page);

	madvise(fresh.at<char>(), pages * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		static_cast<volatile char *>(fresh.at<char>())[i * page] = 1;
}

/** Counts every software event in one counter. */
struct Spec {
	perf_event_attr event = {};
	profil_spec spec = {};

	Spec(uint64_t config, const Memory &counter)
	{
		event.size = sizeof event;
		event.type = PERF_TYPE_SOFTWARE;
		event.config = config;
		spec.size = sizeof spec;
		spec.period = 1;
		spec.overflow = counter.at<char>();
		spec.overflow_width = 8;
		spec.event = &event;
	}
	Spec(const Spec &) = delete;
	Spec &operator=(const Spec &) = delete;
};

/** A session of the process that counts each of its page faults, or of another software event. */
class Counted {
public:
	Counted() { REQUIRE(session_); }

	/** The error is that of profil_attach(). */
	int attach(uint64_t config)
	{
		const Spec wanted(config, counters_);
		profil_target self = {};

		self.pid = getpid();
		self.spec = &wanted.spec;
		profil_attach(session_.get(), &self, 1);
		return self.error;
	}

	uint64_t count() const { return *const_cast<const volatile uint64_t *>(counters_.at<uint64_t>()); }

private:
	struct Close {
		void operator()(profil_session *session) const { profil_session_close(session); }
	};

	Memory counters_{page};
	std::unique_ptr<profil_session, Close> session_{profil_session_open()};
};

} // namespace

TEST_CASE_METHOD(AtRest, "a program counts two events of its own by function, in counters of each width",
		 "[lib][source][man]")
{
	const Output output =
		run("LD_LIBRARY_PATH=" + build_dir() + " " + build_dir() + "/tests/examples/events");

	INFO(output.text);
	REQUIRE(output.status == 0);
	auto counts = counts_in(output.text);
	CHECK(counts["faults in one"] == 100);
	CHECK(counts["faults in two"] == 200);
	CHECK(counts["faults in three"] == 300);
	/* Since 2.41 a function of glibc without a public name makes all calls that can be cancelled. */
	CHECK(counts["switches in clock_nanosleep"] + counts["switches in ?"] >= 1);
}

TEST_CASE_METHOD(AtRest, "events that a process samples of itself count beside each other", "[lib][source]")
{
	Counted faults, minor, alignment;

	touch(1);
	REQUIRE(faults.attach(PERF_COUNT_SW_PAGE_FAULTS) == 0);
	REQUIRE(minor.attach(PERF_COUNT_SW_PAGE_FAULTS_MIN) == 0);
	REQUIRE(alignment.attach(PERF_COUNT_SW_ALIGNMENT_FAULTS) == 0);
	const uint64_t before = faults.count(), minor_before = minor.count();
	touch(500);
	/* A CHECK may itself cause page faults, so read all counts before the first one. */
	const uint64_t counted = faults.count() - before, minor_counted = minor.count() - minor_before;
	CHECK(counted == 500);
	CHECK(minor_counted == 500);
	CHECK(alignment.count() == 0);
}

TEST_CASE_METHOD(AtRest, "a second event in the same session takes the place of the first", "[lib][source]")
{
	Counted both;

	touch(1);
	REQUIRE(both.attach(PERF_COUNT_SW_PAGE_FAULTS) == 0);
	const uint64_t before = both.count();
	touch(100);
	const uint64_t counted = both.count() - before;
	CHECK(counted == 100);
	REQUIRE(both.attach(PERF_COUNT_SW_ALIGNMENT_FAULTS) == 0);
	const uint64_t after = both.count();
	touch(100);
	CHECK(both.count() == after);
}

TEST_CASE_METHOD(AtRest, "a self profile has no event: a process attaches to itself for that",
		 "[lib][source]")
{
	const Memory counter(page);
	const Spec wanted(PERF_COUNT_SW_PAGE_FAULTS, counter);

	CHECK(profil_self_start(&wanted.spec, nullptr) == -1);
	CHECK(errno == EINVAL);
	CHECK(self_status().state == PROFIL_STATE_NONE);
}
