// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/waiting.cpp  A user's command waits for a page of a file system that
 * never answers, and blocks nothing else.
 */
#include "tests/guest/hostile/support.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;
using namespace guest::hostile;

namespace {

/** Everything that a user does with a profile of their own process and of a child. */
void use_profil()
{
	const Burner burner;
	const Memory own(page), its(page), next(page);
	const Device device;
	Child target([] { pause(); });

	device.start(count_in(own.at()));
	burn_ticks(device, burner, counted_text, 3);
	const auto profile = record(device, target.pid(), its, PROFIL_FOLLOW);
	need_that(change_table(device, profile, next.at()) == 0, "PROFIL_TABLE");
	need_that(device.status(profile).processes == 1, "the target is followed");
	kill(target.pid(), SIGKILL);
	need_that(soon([&] { return device.status(profile).processes == 0; }), "its end is noticed");
	device.stop(profile);
	device.stop();
}

/** Everything that root reads about all users. */
void look_at_all(pid_t other)
{
	module_stat("profiles");
	module_stat("longest_chain");
	module_ticks("ticks");
	const auto directory = "/proc/" + std::to_string(other) + "/fdinfo";
	for (const auto &entry : std::filesystem::directory_iterator(directory))
		read_file(entry.path());
}

} // namespace

TEST_CASE_METHOD(AtRest, "a task without the table's memory does not wait for another table's page",
		 "[hostile]")
{
	need_fuse();
	const PerfForUsers users;
	FuseFile file(page);
	const Gate go;
	const Memory error(page, MAP_SHARED);
	const Child owner = as_user(attacker, [&] {
		const Device device;
		const FuseMemory memory(file);
		const Memory table(page), others(page);
		const auto profile = record(device, getpid(), table);
		const Child other([&] {
			go.wait();
			*error.at<int>() = change_table(device, profile, others.at());
		});

		file.hold();
		change_table(device, profile, memory.at());
	});

	file.await_reader();
	go.open();
	CHECK(soon([&] { return *error.at<volatile int>() == EPERM; }));
	CHECK(file.waiting() > 0);
	file.abort();
}

TEST_CASE_METHOD(AtRest, "a page of the tests' own FUSE file comes when the server answers, and not before",
		 "[hostile]")
{
	need_fuse();
	FuseFile file(2 * page);
	const FuseMemory memory(file);

	CHECK(memory.at<volatile char>()[0] == 0);
	CHECK(file.waiting() == 0);
	file.hold();
	memory.at<volatile char>()[0] = 1; /* a present page needs no server */
	memory.drop();
	Child reader([&] { need_that(memory.at<volatile char>()[0] == 0, "the page is dropped"); });
	file.await_reader();
	CHECK(waitpid(reader.pid(), nullptr, WNOHANG) == 0);
	file.go_on();
	CHECK(ends(reader));
	CHECK(reader.reap() == 0);
	CHECK(soon([&] { return file.waiting() == 0; }));

	file.hold();
	memory.drop();
	Child loser([&] { static_cast<void>(memory.at<volatile char>()[0]); });
	file.await_reader();
	file.abort();
	CHECK(ends(loser));
	const int status = loser.reap();
	CHECK(WIFSIGNALED(status));
	CHECK(WTERMSIG(status) == SIGBUS);
}

TEST_CASE_METHOD(AtRest, "a process that waits in a command for a page can be killed while nobody answers",
		 "[hostile]")
{
	need_fuse();
	const PerfForUsers users;

	for (const Wait &wait : all_waits) {
		FuseFile file(page);
		Waiter waiter(file, wait);

		CAPTURE(wait.name);
		CHECK(waiter.killed());
		file.abort();
	}
	CHECK(soon([] { return pages_of(attacker) == 0; }));
}

TEST_CASE_METHOD(AtRest, "other users can profile while a user's command waits for a page", "[hostile]")
{
	need_fuse();
	const PerfForUsers users;

	for (const Wait &wait : all_waits) {
		FuseFile file(page);
		const Waiter waiter(file, wait);
		Child other = as_user(victim, use_profil);

		CAPTURE(wait.name);
		check_not_kept(other, file);
	}
}

TEST_CASE_METHOD(AtRest,
		 "root reads all statistics and facts of files while a user's command waits for a page",
		 "[hostile]")
{
	need_fuse();
	const PerfForUsers users;

	for (const Wait &wait : all_waits) {
		FuseFile file(page);
		const Waiter waiter(file, wait);
		Child root([&] { look_at_all(waiter.pid()); });

		CAPTURE(wait.name);
		check_not_kept(root, file);
	}
}

TEST_CASE_METHOD(AtRest, "a killed user's pages are given back while another user's command waits for a page",
		 "[hostile]")
{
	need_fuse();
	const PerfForUsers users;

	for (const Wait &wait : all_waits) {
		FuseFile file(page);
		const Waiter waiter(file, wait);
		const Gate started;
		{
			const Child other = as_user(victim, [&] {
				const Memory counters(3 * page), its(page);
				const Device device;

				device.start(
					describe(each_address(0x1000, 0x1000 + 3 * page / 4, counters.at()),
						 period_nobody));
				record(device, getpid(), its);
				started.open();
				pause();
			});
			started.wait();
			CHECK(pages_of(victim) > 3);
		}
		CAPTURE(wait.name);
		CHECK(soon([] { return pages_of(victim) == 0; }));
		CHECK(file.waiting() > 0);
		file.abort();
	}
}

TEST_CASE_METHOD(AtRest, "a process that a waiting session follows still forks, executes programs and exits",
		 "[hostile]")
{
	need_fuse();
	const PerfForUsers users;
	FuseFile file(page);
	const Gate followed;
	Child target = as_user(attacker, [&] {
		followed.wait();
		for (int i = 0; i < 20; i++)
			Child([] { execl("/bin/true", "true", nullptr); }).join();
		execl("/bin/true", "true", nullptr);
	});
	const Child session = as_user(attacker, [&] {
		const Device device;
		const Memory ordinary(page);
		const auto profile = record(device, target.pid(), ordinary, PROFIL_FOLLOW);
		const FuseMemory memory(file);

		file.hold();
		change_table(device, profile, memory.at());
	});
	file.await_reader();
	followed.open();
	check_not_kept(target, file);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while commands wait for pages before they have a profile",
		 "[hostile]")
{
	need_fuse();
	const PerfForUsers users;

	for (const Wait &wait : unlocked_waits) {
		FuseFile file(page);
		Waiter waiter(file, wait);
		Child root([] { stop_all(); });

		CAPTURE(wait.name);
		check_not_kept(root, file);
		CHECK(waiter.killed());
		CHECK(soon([] { return pages_of(attacker) == 0; }));
	}
}
