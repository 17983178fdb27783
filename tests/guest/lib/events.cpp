// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/events.cpp  A process samples events of its own. */
#include "tests/guest/lib/support.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <memory>
#include <sys/mman.h>

using namespace guest;
using namespace lib_test;

namespace {

constexpr size_t page = 4096;

/** Touches pages for the first time. */
__attribute__((noinline)) void touch(size_t pages)
{
	Memory fresh(pages * page);

	madvise(fresh.at<char>(), pages * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		static_cast<volatile char *>(fresh.at<char>())[i * page] = 1;
}

/** Records each page fault of this process, or another of its software events. */
class Counted {
public:
	explicit Counted(uint64_t config)
	{
		profil_record record = describe_recording(table_, 0, 1);
		perf_event_attr event = {};

		REQUIRE(session_);
		event.size = sizeof event;
		event.type = PERF_TYPE_SOFTWARE;
		event.config = config;
		need(profil_session_record_event(session_.get(), getpid(), &event, &record, nullptr),
		     "PROFIL_RECORD");
	}

	uint64_t count() const { return sum_table(table_); }

private:
	struct Close {
		void operator()(profil_session *session) const { profil_session_close(session); }
	};

	Memory table_{16 * page};
	std::unique_ptr<profil_session, Close> session_{profil_session_open()};
};

} // namespace

TEST_CASE_METHOD(AtRest, "events that a process samples of itself count beside each other", "[lib][source]")
{
	const Counted faults(PERF_COUNT_SW_PAGE_FAULTS), minor(PERF_COUNT_SW_PAGE_FAULTS_MIN),
		alignment(PERF_COUNT_SW_ALIGNMENT_FAULTS);

	touch(1);
	const uint64_t before = faults.count(), minor_before = minor.count();
	touch(500);
	/* A CHECK may itself cause page faults, so read all counts before the first one. */
	const uint64_t counted = faults.count() - before, minor_counted = minor.count() - minor_before;
	CHECK(counted == 500);
	CHECK(minor_counted == 500);
	CHECK(alignment.count() == 0);
}
