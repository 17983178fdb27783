// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/news.cpp  PROFIL_WAIT: the reader of a recording sleeps until
 * there is something new to read.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <linux/profil.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** The events that poll(2) reports for a recording's file, without waiting. */
short ready(const Recording &recording)
{
	pollfd file = {recording.device().fd(), POLLIN | POLLPRI, 0};

	need(poll(&file, 1, 0), "poll");
	return file.revents;
}

/** Ask for a wake-up after @p keys new keys.  Returns 0 or the error. */
int await_news(const Recording &recording, uint32_t keys, const Way &way = by_ioctl())
{
	profil_wait wait = describe_wait(recording.profile(), keys);

	return way(recording.device(), PROFIL_WAIT, &wait, sizeof(wait));
}

/** The count of elements in use and the last number given: a reader is woken when either grows. */
std::pair<size_t, uint32_t> known(const Recording &recording)
{
	return {recording.rows().size(), recording.described(0).numbers};
}

/** Stop a child, so that it has no more ticks. */
void stop_process(pid_t pid)
{
	siginfo_t info = {};

	need(kill(pid, SIGSTOP), "SIGSTOP");
	need(waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED), "waitid");
}

/** Loops at one place after another, all in the same text. */
class Places {
public:
	static constexpr uintptr_t apart = 64;

	explicit Places(size_t number)
		: child_([number](auto spin) {
			  const Burner burner;

			  for (size_t i = 0; i < number; i++)
				  burner.plant_loop(text + i * apart);
			  for (size_t i = 0; i < number; i++)
				  spin(text + i * apart);
		  })
	{
	}

	pid_t pid() const { return child_.pid(); }
	/** Go to the next place, and wait until it has ticks. */
	bool next(const Recording &recording)
	{
		child_.next();
		place_ += apart;
		return soon([&] {
			return recording.sum([&](const Row &row) {
				return row.text.kind == PROFIL_KIND_MEMORY && row.offset % 0x1000 == place_;
			}) > 0;
		});
	}

private:
	Steps child_;
	uint64_t place_ = 0;
};

/** Wait for ticks that bring no new key or number, and that poll(2) does not report. */
bool old_keys_are_no_news(const Recording &recording, const Way &way)
{
	return soon([&] {
		const auto before = known(recording);

		need_that(await_news(recording, 1, way) == 0, "news are awaited");
		need_that(grows([&] { return recording.sum(); }), "ticks come");
		return !ready(recording) && known(recording) == before;
	});
}

} // namespace

TEST_CASE_METHOD(AtRest, "poll(2) reports a new key, once it was asked for, by ioctl and by io_uring",
		 "[record]")
{
	const auto way = GENERATE(by_ioctl, by_ring)();
	Places child(3);
	Recording recording;

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.sum(); }));
	CHECK(ready(recording) == 0);
	CHECK(old_keys_are_no_news(recording, way));
	REQUIRE(child.next(recording));
	CHECK(ready(recording) == POLLPRI);
	CHECK(old_keys_are_no_news(recording, way));
	REQUIRE(child.next(recording));
	CHECK(ready(recording) == POLLPRI);
}

TEST_CASE_METHOD(AtRest, "poll(2) reports the end of a recorded process", "[record]")
{
	Places child(1);
	Recording recording;

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.sum(); }));
	stop_process(child.pid());

	const uint32_t numbers = known(recording).second;

	REQUIRE(await_news(recording, INT_MAX) == 0);
	CHECK(ready(recording) == 0);
	CHECK(recording.status().followed == 1);
	need(kill(child.pid(), SIGKILL), "SIGKILL");
	CHECK(soon([&] { return ready(recording) == POLLPRI; }));
	CHECK(known(recording).second == numbers);
	CHECK(recording.status().joined == 1);
	CHECK(recording.status().followed == 0);
	REQUIRE(await_news(recording, INT_MAX) == 0);
	CHECK(ready(recording) == 0);
}

namespace {

/** Ask for a wake-up after @p keys new keys.  Returns known() from before the request. */
std::pair<size_t, uint32_t> await_from_here(const Recording &recording, uint32_t keys)
{
	std::pair<size_t, uint32_t> before;

	REQUIRE(soon([&] {
		before = known(recording);
		need_that(await_news(recording, keys) == 0, "news are awaited");
		return known(recording) == before;
	}));
	return before;
}

} // namespace

TEST_CASE_METHOD(AtRest, "poll(2) reports so many new keys, and not fewer", "[record]")
{
	constexpr size_t wanted = 4;
	Places child(40);
	Recording recording;
	bool counted = false;

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.sum(); }));
	auto before = await_from_here(recording, wanted);
	while (!counted) {
		REQUIRE(child.next(recording));
		const size_t least = known(recording).first - before.first;
		/* A key exists a moment before poll(2) reports it. */
		const bool told =
			least < wanted ? ready(recording) != 0 : soon([&] { return ready(recording) != 0; });
		const auto [keys, numbers] = known(recording);

		/* The child's first tick in a library also brings new numbers: then ask again. */
		CHECK((told || least < wanted));
		CHECK((!told || keys - before.first >= wanted || numbers > before.second));
		counted = told && numbers == before.second;
		if (told && !counted)
			before = await_from_here(recording, wanted);
	}
}

TEST_CASE_METHOD(AtRest, "a new text is news, however many keys are waited for", "[record]")
{
	const LoopFile one("profil-loop-1"), other("profil-loop-2");
	Steps child([&](auto spin) {
		one.map(text);
		spin(text);
		other.map(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.in_file(one.path()); }));
	REQUIRE(old_keys_are_no_news(recording, by_ioctl()));
	REQUIRE(await_news(recording, INT_MAX) == 0);
	child.next();
	REQUIRE(grows([&] { return recording.in_file(other.path()); }));
	CHECK(ready(recording) == POLLPRI);
}

TEST_CASE_METHOD(AtRest, "news wakes a process that sleeps in poll(2), or waits for it in a ring", "[record]")
{
	Places child(2);
	Recording recording;
	io_uring ring;

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.sum(); }));
	/* The child may tick at yet another place: stop it until the sleeper is asleep. */
	stop_process(child.pid());
	REQUIRE(await_news(recording, 1) == 0);
	Child sleeper([&] {
		pollfd file = {recording.device().fd(), POLLPRI, 0};

		/*
		 * After a timeout, poll(2) would report the new key even without a wake-up, so use
		 * no timeout.
		 */
		need_that(poll(&file, 1, -1) == 1 && file.revents == POLLPRI, "there are news");
	});
	REQUIRE(io_uring_queue_init(4, &ring, 0) == 0);
	io_uring_prep_poll_add(io_uring_get_sqe(&ring), recording.device().fd(), POLLPRI);
	REQUIRE(io_uring_submit(&ring) == 1);
	REQUIRE(soon([&] { return asleep(sleeper.pid()); }));
	io_uring_cqe *entry = nullptr;
	CHECK(io_uring_peek_cqe(&ring, &entry) == -EAGAIN);
	need(kill(child.pid(), SIGCONT), "SIGCONT");
	REQUIRE(child.next(recording));
	REQUIRE(soon([&] { return io_uring_peek_cqe(&ring, &entry) == 0; }));
	CHECK(entry->res == POLLPRI);
	io_uring_queue_exit(&ring);
	REQUIRE(soon([&] { return !asleep(sleeper.pid()); }));
	sleeper.join();
}

TEST_CASE_METHOD(AtRest, "the end of a recording is news, and then there are none to wait for", "[record]")
{
	Child child([] { pause(); });
	Recording recording;

	REQUIRE(soon([&] { return asleep(child.pid()); }));
	recording.begin(child.pid());
	SECTION("its table cannot be written any more")
	{
		REQUIRE(await_news(recording, INT_MAX) == 0);
		CHECK(ready(recording) == 0);
		need(mprotect(recording.table().at(), recording.table().bytes(), PROT_NONE), "mprotect");
		CHECK(recording.status().state == PROFIL_STATE_FAULT);
	}
	SECTION("its owner has ended it")
	{
		REQUIRE(await_news(recording, INT_MAX) == 0);
		CHECK(ready(recording) == 0);
		recording.finish();
	}
	SECTION("an administrator has ended all profiles")
	{
		profil_stop_all all = {};

		all.size = sizeof(all);
		REQUIRE(await_news(recording, INT_MAX) == 0);
		CHECK(ready(recording) == 0);
		REQUIRE(recording.device().call(PROFIL_STOP_ALL, &all) == 0);
	}
	CHECK(ready(recording) == POLLPRI);
	CHECK(await_news(recording, 1) == ENOENT);
}

TEST_CASE_METHOD(AtRest, "invalid requests to wait for news are refused, by ioctl and by io_uring",
		 "[record]")
{
	const auto way = GENERATE(by_ioctl, by_ring)();
	Child child([] { pause(); });
	Recording recording;
	const auto with = [&](const std::function<void(profil_wait &)> &change) {
		profil_wait wait = describe_wait(recording.profile(), 1);

		change(wait);
		return way(recording.device(), PROFIL_WAIT, &wait, sizeof(wait));
	};

	recording.begin(child.pid());
	CHECK(with([](auto &w) { w.flags = 1; }) == EINVAL);
	CHECK(with([](auto &w) { w.flags = 1U << 31; }) == EINVAL);
	CHECK(with([](auto &w) { w.keys = 0; }) == EINVAL);
	CHECK(with([](auto &w) { w.keys = 1U << 31; }) == EINVAL);
	CHECK(with([](auto &w) { w.profile = 0; }) == ENOENT);
	CHECK(with([](auto &w) { w.profile++; }) == ENOENT);
	CHECK(ready(recording) == 0);
	CHECK(with([](auto &w) { w.keys = INT_MAX; }) == 0);
}

TEST_CASE_METHOD(AtRest, "a file is closed while news are awaited and new keys come", "[record][lifetime]")
{
	Child child([] {
		const Burner burner;

		for (size_t i = 0; i < 1000; i++)
			burner.plant_loop(text + i * 16);
		for (;;)
			for (size_t i = 0; i < 1000; i++)
				Burner::spin(text + i * 16, 1000);
	});

	for (int i = 0; i < 50; i++) {
		Recording recording(16384);

		recording.begin(child.pid());
		REQUIRE(await_news(recording, 1) == 0);
		REQUIRE(soon([&] { return recording.status().ticks > 0; }));
		REQUIRE(await_news(recording, 1) == 0);
	}
	CHECK(kill(child.pid(), 0) == 0);
}
