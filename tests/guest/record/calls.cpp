// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/calls.cpp  Recordings that count kernel time at the program's system
 * call.
 */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** Makes one system call again and again, from one place. */
class Caller {
public:
	Caller()
		: child_([this] {
			  const Burner burner;

			  *after_.at<uintptr_t>() = burner.plant_syscalls(text, SYS_getppid);
			  ready_.open();
			  spin_while(text, [] { return true; });
		  })
	{
		ready_.wait();
	}
	pid_t pid() const { return child_.pid(); }
	/** The PC to which the call returns. */
	uintptr_t after() const { return *after_.at<uintptr_t>(); }

private:
	Memory after_{4096, MAP_SHARED};
	Gate ready_;
	Child child_;
};

uint64_t at(const Recording &recording, uintptr_t pc)
{
	return recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_MEMORY && row.text.base + row.offset == pc;
	});
}

/** A process that stays in one long system call: it copies zeroes from one device to another. */
class Sitter {
public:
	Sitter()
		: child_([this] {
			  ready_.open();
			  for (;;)
				  sendfile(null_.get(), zero_.get(), nullptr, size_t{256} << 20);
		  })
	{
		ready_.wait();
	}
	pid_t pid() const { return child_.pid(); }

private:
	const Fd zero_{need(open("/dev/zero", O_RDONLY | O_CLOEXEC), "/dev/zero")};
	const Fd null_{need(open("/dev/null", O_WRONLY | O_CLOEXEC), "/dev/null")};
	Gate ready_;
	Child child_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "a tick in kernel mode counts where the program called the kernel, if asked for",
		 "[record][calls]")
{
	const bool everybody = GENERATE(false, true);
	const Caller caller;
	Recording recording;

	if (everybody)
		REQUIRE(recording.begin_everybody(PROFIL_KERNEL_TICKS) == 0);
	else
		recording.begin(caller.pid(), PROFIL_FOLLOW | PROFIL_KERNEL_TICKS);
	CHECK(grows([&] { return at(recording, caller.after()); }, 200));
	recording.finish();
	const profil_status status = recording.status();
	CAPTURE(causes_text(status));
	CHECK(recording.of_kind(PROFIL_KIND_KERNEL) == status.kernel);
	CHECK(recording.sum() == status.kernel + status.counted);
	/*
	 * Few ticks count in the kernel: those that cannot wait until their text is known, and, in
	 * a system-wide recording, those of exits.
	 */
	if (!everybody)
		CHECK(status.kernel * 10 < status.counted);
}

TEST_CASE_METHOD(AtRest, "time in one system call counts at the call before it returns", "[record][calls]")
{
	const uint32_t also = GENERATE(0U, uint32_t{PROFIL_RECORD_THREADS});
	const Sitter sitter;
	Recording recording(4096, period_nobody);
	const auto counted = [&] {
		return recording.sum([](const Row &row) { return row.text.kind == PROFIL_KIND_FILE; });
	};

	recording.begin(sitter.pid(), PROFIL_FOLLOW | PROFIL_KERNEL_TICKS | also);
	CHECK(grows(counted, 100));
	if (also)
		CHECK(recording.of_kind(PROFIL_KIND_THREADS) >= 100);
	recording.finish();
	const profil_status status = recording.status();
	CAPTURE(causes_text(status), recording.rows_text());
	CHECK(status.kernel * 5 < status.counted);
}

TEST_CASE_METHOD(AtRest, "programs of their own have their calls in their own text", "[record][calls]")
{
	const Child parent([] {
		const Burner burner;

		burner.plant_syscalls(text, SYS_getppid);
		if (!need(fork(), "fork"))
			need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
		spin_while(text, [] { return true; });
	});
	Recording recording;

	recording.begin(parent.pid(), PROFIL_FOLLOW | PROFIL_KERNEL_TICKS | PROFIL_RECORD_PROCESSES);
	const auto counted = [&](bool of_parent) {
		return recording.sum([&](const Row &row) {
			return row.text.kind == PROFIL_KIND_MEMORY &&
			       (row.owner.pid == parent.pid()) == of_parent;
		});
	};
	CHECK(grows([&] { return counted(true); }));
	for (const Row &row : recording.rows())
		CHECK((row.text.kind != PROFIL_KIND_MEMORY || row.text.pid == row.owner.pid));
}

TEST_CASE_METHOD(AtRest, "an exit counts in the kernel, as it returns to no program", "[record][calls]")
{
	const Gate go;
	const Child child([&] {
		go.wait();
		for (;;) {
			const pid_t born = fork();

			need(born, "fork");
			if (!born)
				_exit(0);
			waitpid(born, nullptr, 0);
		}
	});
	Recording recording;

	recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_KERNEL_TICKS);
	go.open();
	CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_KERNEL); }));
	CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_FILE); }));
}

TEST_CASE_METHOD(AtRest, "calls of the kernel need a proof that samples the kernel, and no places there",
		 "[record][calls][errno]")
{
	Child child([] { pause(); }), other([] { pause(); });
	const Fd user = open_proof({.pid = child.pid(), .exclude_kernel = true});
	const Fd user_other = open_proof({.pid = other.pid(), .exclude_kernel = true});
	Recording recording;
	profil_record record = recording.request(PROFIL_FOLLOW | PROFIL_KERNEL_TICKS);

	record.proof = user.get();
	CHECK(recording.device().call(PROFIL_RECORD, &record) == EACCES);
	CHECK(recording.try_begin(child.pid(), PROFIL_KERNEL_TICKS | PROFIL_RECORD_KERNEL) == EINVAL);
	CHECK(recording.try_begin(child.pid(), PROFIL_KERNEL_TICKS) == 0);
	CHECK(recording.add_with(user_other) == EACCES);
	CHECK(recording.add(other.pid()) == 0);
}
