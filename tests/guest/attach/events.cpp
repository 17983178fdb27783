// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/events.cpp  What an attached file reports about the processes it follows. */
#include "tests/guest/attach/event_reader.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

/** The next record, which must be the only one. */
profil_event next_event(const Device &device)
{
	need_that(soon([&] { return readable(device); }), "something happens");
	const auto events = device.read_events();
	need_that(events.size() == 1, "one record for one process");
	return events[0];
}

/**
 * A process that obeys orders of one letter each: fork a child that obeys in turn, vfork one,
 * execute a program, exit.
 */
class Puppet {
public:
	Puppet()
		: child_([this] {
			  for (;;)
				  step(next());
		  })
	{
	}

	pid_t pid() const { return child_.pid(); }
	/** Send an order to the newest process. */
	void tell(char what) { need(static_cast<int>(write(orders_.second.get(), &what, 1)), "an order"); }
	/** The process ID in its answer. */
	pid_t answer() const
	{
		pid_t pid;
		need_that(read(answers_.first.get(), &pid, sizeof(pid)) == sizeof(pid), "an answer");
		return pid;
	}
	void join() { child_.join(); }

private:
	static std::pair<Fd, Fd> make_pipe()
	{
		int ends[2];
		need(pipe2(ends, 0), "pipe");
		return {Fd(ends[0]), Fd(ends[1])};
	}

	char next() const
	{
		char what;
		need_that(read(orders_.first.get(), &what, 1) == 1, "an order");
		return what;
	}

	void tell_pid(pid_t pid) const
	{
		need(static_cast<int>(write(answers_.second.get(), &pid, sizeof(pid))), "write");
	}

	void step(char what) const
	{
		if (what == 'x')
			_exit(0);
		if (what == 'f')
			become_parent(fork());
		if (what == 'v')
			share_with_child();
		if (what == 'e')
			become_program();
	}

	/** The child obeys the orders from now until it exits. */
	void become_parent(pid_t pid) const
	{
		if (!pid) {
			need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
			return tell_pid(getpid());
		}
		need(waitpid(pid, nullptr, 0), "waitpid");
		tell_pid(0);
	}

	void share_with_child() const
	{
		static Memory stack(16 * page);
		const auto run = [](void *self) {
			static_cast<const Puppet *>(self)->tell_pid(getpid());
			while (static_cast<const Puppet *>(self)->next() != 'x')
				;
			return 0;
		};
		const pid_t pid = clone(run, stack.at(stack.bytes()), CLONE_VM | CLONE_VFORK | SIGCHLD,
					const_cast<Puppet *>(this));
		need(waitpid(pid, nullptr, 0), "waitpid");
		tell_pid(0);
	}

	void become_program() const
	{
		const auto path = program("uapi_target");

		dup2(orders_.first.get(), 0);
		execl(path.c_str(), path.c_str(), "wait", nullptr);
		_exit(1);
	}

	std::pair<Fd, Fd> orders_ = make_pipe(), answers_ = make_pipe();
	Child child_;
};

/** A puppet with an attached profile. */
struct Stage {
	Puppet puppet;
	Device device;
	Memory counters{page};
	uint32_t profile;

	explicit Stage(uint32_t flags = PROFIL_FOLLOW, int open_flags = O_RDWR) : device(open_flags)
	{
		auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
		how.flags = flags;
		profile = device.attach(how, proof_of(puppet.pid()).get());
	}
};

} // namespace

TEST_CASE_METHOD(AtRest, "forks, execs and exits of a followed process are reported", "[attach][event]")
{
	Stage stage;
	auto &[puppet, device, counters, profile] = stage;

	CHECK_FALSE(readable(device));
	puppet.tell('f');
	const pid_t child = puppet.answer();
	auto event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_FORK);
	CHECK(event.profile == profile);
	CHECK(event.pid == child);
	CHECK(event.parent == puppet.pid());
	CHECK_FALSE(readable(device));
	CHECK(device.status(profile).processes == 2);

	puppet.tell('f');
	const pid_t grandchild = puppet.answer();
	event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_FORK);
	CHECK(event.pid == grandchild);
	CHECK(event.parent == child);

	puppet.tell('x');
	CHECK(puppet.answer() == 0);
	event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_EXIT);
	CHECK(event.pid == grandchild);
	CHECK(event.parent == 0);

	puppet.tell('e');
	event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_EXEC);
	CHECK(event.pid == child);
	CHECK(event.parent == 0);

	/* First the program ends, then the puppet. */
	kill(child, SIGKILL);
	CHECK(puppet.answer() == 0);
	event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_EXIT);
	CHECK(event.pid == child);
	puppet.tell('x');
	puppet.join();
	event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_EXIT);
	CHECK(event.pid > 0);
	CHECK_FALSE(readable(device));
	CHECK(soon([&] { return device.status(profile).processes == 0; }));
	CHECK(device.status(profile).state == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "a child that shares its parent's memory is reported as such", "[attach][event]")
{
	Stage stage;
	auto &[puppet, device, counters, profile] = stage;

	puppet.tell('v');
	const pid_t child = puppet.answer();
	auto event = next_event(device);
	CHECK(event.what == (PROFIL_EVENT_FORK | PROFIL_EVENT_SHARES));
	CHECK(event.pid == child);
	CHECK(event.parent == puppet.pid());
	CHECK(device.status(profile).processes == 1);
	puppet.tell('x');
	CHECK(puppet.answer() == 0);
	event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_EXIT);
	CHECK(event.pid == child);
}

TEST_CASE_METHOD(AtRest, "unread events of one process are merged into one record", "[attach][event]")
{
	Stage stage;
	auto &[puppet, device, counters, profile] = stage;

	puppet.tell('f');
	const pid_t child = puppet.answer();
	puppet.tell('e');
	CHECK(soon([&] { return read_file("/proc/" + std::to_string(child) + "/comm") == "uapi_target\n"; }));
	kill(child, SIGKILL);
	CHECK(puppet.answer() == 0);
	const auto event = next_event(device);
	CHECK(event.what == (PROFIL_EVENT_FORK | PROFIL_EVENT_EXEC | PROFIL_EVENT_EXIT));
	CHECK(event.pid == child);
	CHECK(event.parent == puppet.pid());
	CHECK_FALSE(readable(device));
}

TEST_CASE_METHOD(AtRest, "without PROFIL_FOLLOW children are neither reported nor counted", "[attach][event]")
{
	Stage stage(0);
	auto &[puppet, device, counters, profile] = stage;

	puppet.tell('f');
	puppet.answer();
	CHECK(device.status(profile).processes == 1);
	puppet.tell('x');
	puppet.answer();
	CHECK_FALSE(readable(device));
	/* The process itself is reported. */
	puppet.tell('e');
	const auto event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_EXEC);
	CHECK(event.pid == puppet.pid());
}

TEST_CASE_METHOD(AtRest, "a failed read of events returns the right error and loses no event",
		 "[attach][event]")
{
	Stage stage(PROFIL_FOLLOW, O_RDWR | O_NONBLOCK);
	auto &[puppet, device, counters, profile] = stage;
	profil_event event;
	const Memory closed(page);

	CHECK(read_error(device, &event, sizeof(event)) == EAGAIN);
	CHECK(read_error(device, &event, sizeof(event) - 1) == EINVAL);
	CHECK(read_error(device, &event, 0) == EINVAL);
	puppet.tell('f');
	const pid_t child = puppet.answer();
	CHECK(read_error(device, &event, sizeof(event) - 1) == EINVAL);
	CHECK(read_error(device, nullptr, sizeof(event)) == EFAULT);
	mprotect(closed.at(), page, PROT_READ);
	CHECK(read_error(device, closed.at(), sizeof(event)) == EFAULT);
	CHECK(readable(device));

	/* A read returns only whole records, as many as fit. */
	puppet.tell('f');
	const pid_t grandchild = puppet.answer();
	profil_event two[3] = {};
	CHECK(read(device.fd(), two, sizeof(event) + 8) == sizeof(event));
	CHECK(two[0].pid == child);
	CHECK(two[1].pid == 0);
	CHECK(read(device.fd(), two, sizeof(two)) == sizeof(event));
	CHECK(two[0].pid == grandchild);
	CHECK(read_error(device, two, sizeof(two)) == EAGAIN);
}

TEST_CASE_METHOD(AtRest, "a reader sleeps until the first event", "[attach][event]")
{
	Stage stage;
	auto &[puppet, device, counters, profile] = stage;
	std::vector<profil_event> seen;

	std::thread reader([&] { seen = device.read_events(); });
	/* It makes no difference if the reader sleeps by now. */
	puppet.tell('f');
	const pid_t child = puppet.answer();
	reader.join();
	REQUIRE(seen.size() == 1);
	CHECK(seen[0].pid == child);
}

TEST_CASE_METHOD(AtRest, "a signal interrupts a waiting reader", "[attach][event]")
{
	Stage stage;
	const Device &device = stage.device;

	const auto error = in_child([&] {
		struct sigaction act = {};
		profil_event event;

		act.sa_handler = [](int) {};
		sigaction(SIGALRM, &act, nullptr);
		alarm(1);
		return read_error(device, &event, sizeof(event));
	});
	CHECK(error == EINTR);
}

TEST_CASE_METHOD(AtRest, "a file with nothing attached has no events", "[attach][event]")
{
	const Device device(O_RDWR | O_NONBLOCK);
	profil_event event;

	CHECK_FALSE(readable(device));
	CHECK(read_error(device, &event, sizeof(event)) == EAGAIN);
	CHECK(read_error(device, &event, 1) == EINVAL);
}
