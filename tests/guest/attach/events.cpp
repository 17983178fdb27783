// SPDX-License-Identifier: GPL-2.0-or-later
// What an attached file tells of the processes that it follows.
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

bool readable(const Device &device)
{
	pollfd poller = {device.fd(), POLLIN, 0};

	return need(poll(&poller, 1, 0), "poll") == 1 && (poller.revents & POLLIN);
}

// The next record, which must be the only one there is.
profil_event next_event(const Device &device)
{
	need_that(soon([&] { return readable(device); }), "something happens");
	const auto events = device.read_events();
	need_that(events.size() == 1, "one record for one process");
	return events[0];
}

// By number, as the library's own call wants to be given memory.
int read_error(const Device &device, void *to, size_t bytes)
{
	return syscall(SYS_read, device.fd(), to, bytes) < 0 ? errno : 0;
}

// A process that does as it is told, a letter at a time: forks a child that
// does likewise, vforks one, executes a program, exits.
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
	// Tell the one that was made last.
	void tell(char what) { need(static_cast<int>(write(orders_.second.get(), &what, 1)), "an order"); }
	// The process ID that it answers with.
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

	// The child takes the orders now, until it exits.
	void become_parent(pid_t pid) const
	{
		if (!pid)
			return tell_pid(getpid());
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

// A puppet, attached to.
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

TEST_CASE_METHOD(AtRest, "a followed process is reported as it forks, executes and exits", "[attach][event]")
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

	// End of the program, end of the puppet.
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

TEST_CASE_METHOD(AtRest, "a child that shares its parent's memory is reported so", "[attach][event]")
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

TEST_CASE_METHOD(AtRest, "what happened to a process since it was last reported is one record",
		 "[attach][event]")
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
	// The process itself is.
	puppet.tell('e');
	const auto event = next_event(device);
	CHECK(event.what == PROFIL_EVENT_EXEC);
	CHECK(event.pid == puppet.pid());
}

TEST_CASE_METHOD(AtRest, "reading events fails as it should, and loses none", "[attach][event]")
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

	// Whole records only, and as many as fit.
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

TEST_CASE_METHOD(AtRest, "a reader waits for the first event, and is woken", "[attach][event]")
{
	Stage stage;
	auto &[puppet, device, counters, profile] = stage;
	std::vector<profil_event> seen;

	std::thread reader([&] { seen = device.read_events(); });
	// Whether it waits already or not makes no difference.
	puppet.tell('f');
	const pid_t child = puppet.answer();
	reader.join();
	REQUIRE(seen.size() == 1);
	CHECK(seen[0].pid == child);
}

TEST_CASE_METHOD(AtRest, "a reader who waits can be interrupted", "[attach][event]")
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

TEST_CASE_METHOD(AtRest, "many events are read in pieces, and each child is reported once",
		 "[attach][event][slow]")
{
	const Device device;
	const Memory counters(page);
	const Gate go;
	/* More than one read takes; on debug kernels each costs seconds. */
	const size_t children = slowness() > 1 ? 40 : 100;
	Child parent([&] {
		go.wait();
		for (size_t i = 0; i < children; i++)
			if (!need(fork(), "fork"))
				_exit(0);
		while (wait(nullptr) > 0)
			;
	});
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	go.open();
	parent.join();
	std::vector<pid_t> forked, exited;
	while (readable(device))
		for (const auto &event : device.read_events()) {
			CHECK(event.profile == profile);
			if (event.what & PROFIL_EVENT_FORK)
				forked.push_back(event.pid);
			if (event.what & PROFIL_EVENT_EXIT)
				exited.push_back(event.pid);
		}
	std::sort(forked.begin(), forked.end());
	CHECK(std::unique(forked.begin(), forked.end()) == forked.end());
	CHECK(forked.size() == children);
	CHECK(exited.size() == children + 1);
	CHECK(device.status(profile).forks_lost == 0);
}

TEST_CASE_METHOD(AtRest, "what nobody has read is forgotten with the profile, however much it is",
		 "[attach][event][slow]")
{
	const Device device(O_RDWR | O_NONBLOCK);
	const Memory counters(page);
	const Gate go, done;
	const unsigned children = slowness() > 1 ? 20 : 150;
	const Child parent([&] {
		go.wait();
		for (unsigned i = 0; i < children; i++)
			if (!need(fork(), "fork"))
				_exit(0);
		while (wait(nullptr) > 0)
			;
		done.open();
		go.wait();
		if (!need(fork(), "fork"))
			_exit(0);
		wait(nullptr);
		done.open();
		pause();
	});
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
	profil_event event;

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	go.open();
	done.wait();
	CHECK(readable(device));
	device.stop(profile);
	CHECK_FALSE(readable(device));
	// Nobody is followed any more, and its next child is not either.
	go.open();
	done.wait();
	CHECK(read_error(device, &event, sizeof(event)) == EAGAIN);
}

namespace {

struct Told {
	uint64_t forked;
	profil_status status;
};

// Follow a process that forks so many children, all of which stay; what is told
// of them once it says that it has.
Told follow_forks(unsigned children, const std::function<void()> &before)
{
	const Device device(O_RDWR | O_NONBLOCK);
	const Memory counters(page);
	const Gate go, forked;
	const Child parent([&] {
		const pid_t self = getpid();

		go.wait();
		before();
		for (unsigned i = 0; i < children; i++)
			if (!need(fork(), "fork")) {
				need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
				// Its end may have come before.
				if (getppid() == self)
					pause();
				_exit(0);
			}
		forked.open();
		pause();
	});
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
	Told told = {};

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	go.open();
	forked.wait();
	told.status = device.status(profile);
	while (readable(device))
		for (const auto &event : device.read_events())
			told.forked += (event.what & PROFIL_EVENT_FORK) != 0;
	return told;
}

} // namespace

TEST_CASE_METHOD(AtRest, "children that come faster than they can be noted are lost, and each is counted",
		 "[attach][event][icount]")
{
	// More than there are nodes, and nobody makes new ones while the parent runs.  A debug
	// kernel waits for so much in a fork that others run meanwhile: there is room for all.
	const bool quick = slowness() == 1;
	const unsigned children = quick ? 600 : 100;
	const Setting unlimited("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	const auto empty = module_stat("pool_empty"), lost = module_stat("forks_lost");

	const auto told = follow_forks(children, run_before_my_children);
	CHECK(told.forked >= children / 3);
	CHECK(told.forked + told.status.forks_lost == children);
	CHECK(module_stat("forks_lost") == lost + told.status.forks_lost);
	if (quick) {
		CHECK(told.status.forks_lost > 0);
		CHECK(module_stat("pool_empty") > empty);
	}
	// Now there is room again.
	const auto again = follow_forks(100, [] {});
	CHECK(again.forked == 100);
	CHECK(again.status.forks_lost == 0);
}

TEST_CASE_METHOD(AtRest, "who may follow no more processes loses children, and is told how many",
		 "[attach][event]")
{
	const Setting limit = module_parameter("max_user_watches", 2);

	const auto told = follow_forks(3, [] {});
	CHECK(told.forked == 1);
	CHECK(told.status.forks_lost == 2);
}
