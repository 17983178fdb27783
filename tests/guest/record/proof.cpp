// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/proof.cpp  Descriptors that prove that the caller may record a process,
 * and descriptors that do not.
 */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;
const char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";

/** Returns 0, or the error of a recording with this descriptor. */
int try_proof(int proof, uint32_t flags = 0)
{
	const Device device;
	const Memory table(page);
	auto how = describe_recording(table, flags, period_nobody);

	how.proof = proof;
	return device.call(PROFIL_RECORD, &how);
}

/** try_proof() with an event that must exist. */
int try_event(const Proof &proof, uint32_t flags = 0)
{
	const Fd event = open_proof(proof);

	need(event.get(), "perf_event_open");
	return try_proof(event.get(), flags);
}

void send_descriptor(int socket, int fd)
{
	char byte = 0;
	alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
	iovec data = {&byte, 1};
	msghdr message = {};

	message.msg_iov = &data;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	need(static_cast<int>(sendmsg(socket, &message, 0)), "sendmsg");
}

Fd receive_descriptor(int socket)
{
	char byte;
	alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
	iovec data = {&byte, 1};
	msghdr message = {};
	int fd = -1;

	message.msg_iov = &data;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	need(static_cast<int>(recvmsg(socket, &message, 0)), "recvmsg");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return Fd(fd);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a sampling event on a process is a proof, whatever it samples", "[record][proof]")
{
	const Child target([] { pause(); });

	CHECK(try_event({.pid = target.pid()}) == 0);
	CHECK(try_event({.pid = 0}) == 0); /* the caller */
	CHECK(try_event({.pid = target.pid()}, PROFIL_KERNEL_TICKS) == 0);
	CHECK(try_event({.pid = target.pid(), .cpu = 0}) == 0); /* on one CPU */
	CHECK(try_event({.pid = target.pid(), .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID}) == 0);
	CHECK(try_event({.pid = target.pid(), .exclude_kernel = true}) == 0);
}

TEST_CASE_METHOD(AtRest, "an event that cannot sample the PCs of one process is not a proof",
		 "[record][proof]")
{
	const Child target([] { pause(); });

	CHECK(try_event({.pid = target.pid(), .sampling = false}) == EINVAL);
	CHECK(try_event({.pid = target.pid(), .inherit = true}) == EINVAL);
	CHECK(try_event({.pid = target.pid(), .sample_type = PERF_SAMPLE_TID}) == EINVAL);
	CHECK(try_event({.pid = target.pid(), .sample_type = 0}) == EINVAL);
	CHECK(try_event({.pid = -1, .cpu = 0}) == EINVAL); /* a whole CPU */
	CHECK(try_event({.pid = target.pid(), .exclude_kernel = true}, PROFIL_KERNEL_TICKS) == EACCES);
}

TEST_CASE_METHOD(AtRest, "a descriptor of any other kind is not a proof", "[record][proof]")
{
	int ends[2];
	sigset_t none;
	union bpf_attr map = {};

	need(pipe(ends), "pipe");
	sigemptyset(&none);
	map.map_type = BPF_MAP_TYPE_ARRAY;
	map.key_size = map.value_size = 4;
	map.max_entries = 1;
	const Device device;
	const Fd fds[] = {Fd(ends[0]),
			  Fd(ends[1]),
			  Fd(open("/dev/null", O_RDWR)),
			  Fd(open("/dev/profil", O_RDWR)),
			  Fd(open("/proc/self/stat", O_RDONLY)),
			  Fd(eventfd(0, 0)),
			  Fd(timerfd_create(CLOCK_MONOTONIC, 0)),
			  Fd(signalfd(-1, &none, 0)),
			  Fd(epoll_create1(0)),
			  Fd(memfd_create("[perf_event]", 0)),
			  Fd(socket(AF_UNIX, SOCK_STREAM, 0)),
			  Fd(static_cast<int>(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)))),
			  Fd(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)))};
	for (const Fd &fd : fds) {
		REQUIRE(fd.get() >= 0);
		CAPTURE(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd.get())));
		CHECK(try_proof(fd.get()) == EINVAL);
	}
	const std::string named = "/tmp/[perf_event]";
	const Fd file(open(named.c_str(), O_RDWR | O_CREAT, 0600));
	unlink(named.c_str());
	CHECK(try_proof(file.get()) == EINVAL);

	CHECK(try_proof(-1) == EBADF);
	CHECK(try_proof(1000) == EBADF);
	CHECK(try_proof(INT32_MIN) == EBADF);
	const Fd path(open("/dev/null", O_PATH));
	CHECK(try_proof(path.get()) == EBADF);
}

TEST_CASE_METHOD(AtRest, "a kernel thread cannot be recorded", "[record][proof]")
{
	const Fd event = open_proof({.pid = 2}); /* kthreadd */

	if (event.get() < 0)
		CHECK((errno == EACCES || errno == EINVAL || errno == ESRCH));
	else
		CHECK(try_proof(event.get()) == ESRCH);
}

TEST_CASE_METHOD(AtRest, "a process that has ended cannot be recorded", "[record][proof]")
{
	const Gate gate;
	Child target([&] { gate.wait(); });
	const Fd event = proof_of(target.pid());

	gate.open();
	siginfo_t end;
	need(waitid(P_PID, target.pid(), &end, WEXITED | WNOWAIT), "waitid");
	CHECK(try_proof(event.get()) == ESRCH); /* a zombie */
	target.join();
	CHECK(try_proof(event.get()) == ESRCH); /* reaped */
}

TEST_CASE_METHOD(AtRest, "an ordinary user records their own child only where perf allows it",
		 "[record][proof]")
{
	const auto record_child = [] {
		return in_child([] {
			become_nobody();
			const Child target([] { pause(); });
			const Fd event = open_proof({.pid = target.pid(), .exclude_kernel = true});
			return event.get() < 0 ? errno : try_proof(event.get());
		});
	};

	{
		const Setting allowed(paranoid, "2");
		CHECK(record_child() == 0);
	}
	const Setting forbidden(paranoid, "3");
	CHECK(record_child() == EACCES);
}

TEST_CASE_METHOD(AtRest, "another user's process cannot be recorded", "[record][proof]")
{
	const Setting allowed(paranoid, "-1");
	const Child target([] { pause(); });
	int ends[2];

	/* perf refuses the user, and root's descriptor is not a proof for another user. */
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	const Fd mine(ends[0]), its(ends[1]);
	struct Refused {
		int by_perf, by_us;
	};
	ChildOf<Refused> nobody([&] {
		const Fd passed = receive_descriptor(its.get());
		Refused result = {};

		become_nobody();
		const Fd own = open_proof({.pid = target.pid(), .exclude_kernel = true});
		result.by_perf = own.get() < 0 ? errno : 0;
		result.by_us = try_proof(passed.get());
		return result;
	});
	const Fd event = proof_of(target.pid());
	CHECK(try_proof(event.get()) == 0);
	send_descriptor(mine.get(), event.get());
	const auto refused = nobody.result();
	CHECK(refused.by_perf == EACCES);
	CHECK(refused.by_us == EACCES);
}

TEST_CASE_METHOD(AtRest, "a proof opened with more capabilities than the caller has is refused",
		 "[record][proof]")
{
	const Child target([] { pause(); });
	const Fd event = proof_of(target.pid());

	/* The same user and group, but without the opener's capabilities. */
	const auto error = in_child([&] {
		struct {
			uint32_t version, pid;
		} header = {0x20080522, 0};
		uint32_t none[6] = {};
		need(static_cast<int>(syscall(SYS_capset, &header, none)), "capset");
		return try_proof(event.get());
	});
	CHECK(error == EACCES);
}

TEST_CASE_METHOD(AtRest, "a proof is refused while its target is not dumpable, except from root",
		 "[record][proof]")
{
	const Setting allowed(paranoid, "2");
	const Gate hide, hidden, show, shown;
	const Child target([&] {
		become_nobody();
		shown.open();
		hide.wait();
		need(prctl(PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE");
		hidden.open();
		show.wait();
		need(prctl(PR_SET_DUMPABLE, 1), "PR_SET_DUMPABLE");
		shown.open();
		pause();
	});
	struct Tried {
		int before, hidden, after;
	};

	shown.wait();
	const Fd roots = proof_of(target.pid());
	const Gate asked, root_asked;
	ChildOf<Tried> nobody([&] {
		Tried result = {};

		become_nobody();
		const Fd event = open_proof({.pid = target.pid(), .exclude_kernel = true});
		result.before = try_proof(event.get());
		hide.open();
		hidden.wait();
		result.hidden = try_proof(event.get());
		asked.open();
		root_asked.wait();
		show.open();
		shown.wait();
		result.after = try_proof(event.get());
		return result;
	});
	asked.wait();
	CHECK(try_proof(roots.get()) == 0);
	root_asked.open();
	const auto tried = nobody.result();
	CHECK(tried.before == 0);
	CHECK(tried.hidden == EACCES);
	CHECK(tried.after == 0);
}

TEST_CASE_METHOD(AtRest, "a proof is stale after the process has changed its credentials", "[record][proof]")
{
	const Setting allowed(paranoid, "2");
	const SetUidProgram program_of_root("uapi_target");
	const std::string path = program_of_root.path();
	struct Tried {
		int before, after;
	};

	const auto tried = in_child([&] {
		int to[2], from[2];
		char line[8];
		Tried result = {};

		need(pipe(to), "pipe");
		need(pipe(from), "pipe");
		become_nobody();
		Child target([&] {
			dup2(to[0], 0);
			dup2(from[1], 1);
			close(to[1]);
			need(static_cast<int>(read(0, line, 1)), "the order to go on");
			execl(path.c_str(), path.c_str(), "wait", nullptr);
			need(-1, path.c_str());
		});
		close(from[1]);
		const Fd event = open_proof({.pid = target.pid(), .exclude_kernel = true});
		need(event.get(), "perf_event_open");
		result.before = try_proof(event.get());
		need(static_cast<int>(write(to[1], "", 1)), "the order to go on");
		need_that(read(from[0], line, sizeof(line)) == 8, "root's program runs");
		result.after = try_proof(event.get());
		close(to[1]);
		target.join();
		return result;
	});
	CHECK(tried.before == 0);
	CHECK(tried.after == ESRCH);
}

TEST_CASE_METHOD(AtRest, "a proof stays valid across an exec that keeps the credentials", "[record][proof]")
{
	int to[2], from[2];
	char line[8];

	need(pipe(to), "pipe");
	need(pipe(from), "pipe");
	Child target([&] {
		const auto path = program("uapi_target");
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		need(static_cast<int>(read(0, line, 1)), "the order to go on");
		execl(path.c_str(), path.c_str(), "wait", nullptr);
		need(-1, path.c_str());
	});
	const Fd event = proof_of(target.pid());
	need(static_cast<int>(write(to[1], "", 1)), "the order to go on");
	need_that(read(from[0], line, sizeof(line)) == 8, "the program runs");
	CHECK(try_proof(event.get()) == 0);
	for (const int fd : {to[0], to[1], from[0], from[1]})
		close(fd);
	target.join();
}

TEST_CASE_METHOD(AtRest, "an event on a thread is a proof for the whole process", "[record][proof]")
{
	const Memory shared(page, MAP_SHARED);
	const Gate started;

	const Child target([&] {
		static const Memory *memory = &shared;
		static const Gate *gate = &started;
		pthread_t thread;
		const auto other = [](void *) -> void * {
			memory->at<uint64_t>()[1] = static_cast<uint64_t>(syscall(SYS_gettid));
			gate->open();
			pause();
			return nullptr;
		};
		need_that(pthread_create(&thread, nullptr, other, nullptr) == 0, "pthread_create");
		const Burner burner;
		burner.burn_until(text, [] { return memory->at<volatile uint64_t>()[2] != 0; });
	});
	started.wait();
	const auto thread = static_cast<pid_t>(counter<uint64_t>(shared, 1));
	CHECK(thread != target.pid());
	const Device device;
	const Memory table(page);
	device.record(describe_recording(table, 0), proof_of(thread).get());
	/* Another thread runs the loop. */
	CHECK(soon([&] { return sum_table(table) >= 5; }));
	shared.at<volatile uint64_t>()[2] = 1;
}
