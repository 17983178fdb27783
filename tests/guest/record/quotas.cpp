// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/quotas.cpp  What each user may use for recordings: pages and watches. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/credentials.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <deque>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

} // namespace

TEST_CASE_METHOD(AtRest, "recordings that are kept use up the pages of their user, and of nobody else",
		 "[record][quota]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "-1");
	const Setting pages = module_parameter("max_user_pages", 64);
	const Gate kept, done;
	ChildOf<unsigned> user([&] {
		std::deque<Recording> recordings;
		int error = 0;

		become_nobody();
		const Child target([] { pause(); });
		while (!error) {
			Recording &one = recordings.emplace_back(256, period_nobody);
			error = one.try_begin(target.pid());
			if (!error)
				one.finish();
		}
		kept.open();
		done.wait();
		return error == EDQUOT ? static_cast<unsigned>(recordings.size()) - 1 : 0;
	});
	const Child target([] { pause(); });
	Recording root(256);

	kept.wait();
	root.begin(target.pid());
	done.open();
	/* Each recording takes eight pages of hash chains, and one of entries. */
	CHECK(user.result() == 64U / 9);
}

TEST_CASE_METHOD(AtRest, "a child that gets no watch is counted without an owner, and is not described",
		 "[record][quota]")
{
	const Setting watches = module_parameter("max_user_watches", 1);
	const WithoutPerfmon unprivileged;
	const Gate forked;
	const Memory pid(4096, MAP_SHARED);
	const Burner burner;
	burner.plant_loop(text);
	Steps parent([&](auto spin) {
		spin(text);
		Child child([&] { spin(text); });
		*pid.at<pid_t>() = child.pid();
		forked.open();
		child.reap();
	});
	Recording recording(512, period_nobody);

	recording.begin(parent.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	parent.next();
	forked.wait();
	CHECK(grows([&] {
		return recording.sum([](const Row &row) {
			return row.owner.number == nobody_owner && row.text.kind == PROFIL_KIND_MEMORY;
		});
	}));
	recording.finish();
	CHECK(recording.status().forks_lost == 1);
	for (uint32_t number = 1; number <= recording.described(0).numbers; number++)
		CHECK((recording.described(number).kind != PROFIL_KIND_OWNER ||
		       recording.described(number).pid != *pid.at<pid_t>()));
}

TEST_CASE_METHOD(AtRest, "children that have ended use up no watches", "[record][quota][lifetime]")
{
	const Setting watches = module_parameter("max_user_watches", 3);
	const WithoutPerfmon unprivileged;
	const Gate go;
	Child parent([&] {
		go.wait();
		for (int i = 0; i < 20; i++) {
			Child([] {}).join();
			/* Ticks may find a process until shortly after its end. */
			usleep(300'000);
		}
	});
	Recording recording(512, period_nobody);

	recording.begin(parent.pid());
	go.open();
	parent.join();
	CHECK(recording.status().joined == 21);
	CHECK(soon([&] { return recording.status().followed == 0; }));
	recording.finish();
	CHECK(recording.status().forks_lost == 0);
}
