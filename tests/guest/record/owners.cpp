// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/owners.cpp  The descriptions that a recording gives of its processes.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/held_exec.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <filesystem>
#include <grp.h>
#include <map>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;
constexpr uid_t other_user = 4711;

/** Execute a program that runs a loop. */
void execute_burner()
{
	const auto path = program("uapi_target");
	const auto where = std::to_string(text);

	execl(path.c_str(), path.c_str(), "burn", where.c_str(), nullptr);
	need(-1, path.c_str());
}

/** The process's owner with this command name, or one with number 0 if there is none. */
Described owner_of(const Recording &recording, pid_t pid, const std::string &who)
{
	for (const Described &owner : recording.owners(who)) {
		if (owner.pid == pid)
			return owner;
	}
	return {};
}

/** A cgroup v2, removed at the end. */
class Group {
public:
	explicit Group(const std::string &name) : path_("/sys/fs/cgroup/" + name)
	{
		if (!std::filesystem::exists("/sys/fs/cgroup/cgroup.procs"))
			need(mount("none", "/sys/fs/cgroup", "cgroup2", 0, nullptr), "mount");
		std::filesystem::create_directory(path_);
	}
	Group(const Group &) = delete;
	Group &operator=(const Group &) = delete;
	~Group() { rmdir(path_.c_str()); }

	void enter() const { write_file(path_ + "/cgroup.procs", "0"); }
	static void leave() { write_file("/sys/fs/cgroup/cgroup.procs", "0"); }
	uint64_t number() const { return number_of(path_); }
	static uint64_t number_of(const std::string &path)
	{
		struct stat about = {};

		need(stat(path.c_str(), &about), path.c_str());
		return about.st_ino;
	}

private:
	std::string path_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "an owner knows who forked it and who executed it", "[record]")
{
	const bool everybody = GENERATE(false, true);
	const Gate go;
	Memory forked(4096, MAP_SHARED);
	Child child([&] {
		go.wait();
		Child grandchild(execute_burner);
		*forked.at<pid_t>() = grandchild.pid();
		grandchild.reap();
	});
	Recording recording;

	if (everybody)
		REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	else
		recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	go.open();
	REQUIRE(soon([&] { return *forked.at<pid_t>() != 0; }));
	const pid_t pid = *forked.at<pid_t>();
	REQUIRE(soon([&] { return owner_of(recording, pid, "uapi_target").number != 0; }));
	/* Until it runs its program, the process is described as being in execve. */
	CHECK(soon([&] { return owner_of(recording, pid, "uapi_target").state != PROFIL_OWNER_EXECUTES; }));

	const Described program = owner_of(recording, pid, "uapi_target");
	const Described copy = recording.described(program.parent);
	CHECK(copy.pid == pid);
	CHECK(copy.who() == "guest");
	CHECK(copy.state == PROFIL_OWNER_ENDED);
	CHECK(program.state == PROFIL_OWNER_LIVE);
	const Described parent = recording.described(copy.parent);
	CHECK(parent.pid == child.pid());
	CHECK(parent.who() == "guest");
	CHECK(parent.parent == 0);
	CHECK(parent.state == PROFIL_OWNER_LIVE);
	need(kill(pid, SIGKILL), "kill");
	CHECK(soon([&] { return recording.described(program.number).state == PROFIL_OWNER_ENDED; }));
	CHECK(recording.described(program.number).pid == pid);
}

TEST_CASE_METHOD(AtRest, "an owner has the user that its process has now, or had at its end", "[record]")
{
	const Gate go, changed;
	Child child([&] {
		go.wait();
		need(setgroups(0, nullptr), "setgroups");
		need(setresuid(other_user, other_user, other_user), "setresuid");
		changed.open();
		go.wait();
	});
	Recording recording;
	const pid_t pid = child.pid();
	const auto user = [&] { return owner_of(recording, pid, "guest").uid; };

	recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	CHECK(user() == 0);
	go.open();
	changed.wait();
	CHECK(user() == other_user);
	go.open();
	child.join();
	CHECK(soon([&] { return owner_of(recording, pid, "guest").state == PROFIL_OWNER_ENDED; }));
	CHECK(user() == other_user);
}

TEST_CASE_METHOD(AtRest,
		 "an owner in execve has the user that it began with, as the next may be there already",
		 "[record]")
{
	const HeldExec held("held");
	const Gate go, changed;
	Child child([&] {
		go.wait();
		need(setresuid(other_user, other_user, other_user), "setresuid");
		changed.open();
		go.wait();
		execl(held.path().c_str(), "held", nullptr);
		need(-1, "execl");
	});
	Recording recording;
	const pid_t pid = child.pid();
	const auto owner = [&] { return owner_of(recording, pid, "guest"); };

	recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	go.open();
	changed.wait();
	CHECK(owner().state == PROFIL_OWNER_LIVE);
	CHECK(owner().uid == other_user);
	go.open();
	REQUIRE(soon([&] { return held.waits(); }));
	CHECK(owner().state == PROFIL_OWNER_EXECUTES);
	CHECK(owner().uid == 0);
	held.release();
	CHECK(soon([&] { return owner().state == PROFIL_OWNER_ENDED; }));
	CHECK(owner().uid == 0);
	/* The next owner appears some time after the last one ends, and is not live at once. */
	CHECK(soon([&] {
		const Described next = owner_of(recording, pid, "held");

		return next.number != 0 && next.state == PROFIL_OWNER_LIVE;
	}));
	CHECK(owner_of(recording, pid, "held").uid == other_user);
}

TEST_CASE_METHOD(AtRest, "an owner has the cgroup that its process is in now, or was at its end", "[record]")
{
	const Group group("profil-owners");
	const Gate go, entered;
	Child child([&] {
		go.wait();
		group.enter();
		entered.open();
		go.wait();
	});
	Recording recording;
	const pid_t pid = child.pid();
	const auto number = [&] { return owner_of(recording, pid, "guest").cgroup; };

	recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	CHECK(number() != group.number());
	go.open();
	entered.wait();
	CHECK(number() == group.number());
	go.open();
	child.join();
	CHECK(soon([&] { return owner_of(recording, pid, "guest").state == PROFIL_OWNER_ENDED; }));
	CHECK(number() == group.number());
}

TEST_CASE_METHOD(AtRest, "without an owner for each process none has a user", "[record]")
{
	Child child([] { pause(); });
	Recording recording;

	recording.begin(child.pid());
	for (const Described &owner : recording.owners("guest")) {
		CHECK(owner.pid == 0);
		CHECK(owner.cgroup == 0);
		CHECK(owner.parent == 0);
		CHECK(owner.state == PROFIL_OWNER_LIVE);
	}
}

TEST_CASE_METHOD(AtRest, "ticks count for their threads, too, if that is asked for", "[record]")
{
	const LoopFile file("profil-loop");
	const bool everybody = GENERATE(false, true);
	Memory ids(4096, MAP_SHARED);
	Child child([&] {
		file.map(text);
		const auto spin = [&](size_t index) {
			*ids.at<pid_t>(index * sizeof(pid_t)) = gettid();
			spin_while(text, [] { return true; });
		};
		std::thread other(spin, 1);
		spin(0);
	});
	Recording recording;
	const auto thread = [&](size_t index) { return counter<pid_t>(ids, index); };
	const auto ticks = [&](size_t index) {
		return recording.sum([&](const Row &row) {
			return row.text.kind == PROFIL_KIND_THREADS &&
			       row.offset == static_cast<uint64_t>(thread(index));
		});
	};

	REQUIRE(soon([&] { return thread(0) && thread(1); }));
	if (everybody)
		REQUIRE(recording.begin_everybody(PROFIL_RECORD_THREADS) == 0);
	else
		recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_THREADS);
	CHECK(grows([&] { return ticks(0); }));
	CHECK(grows([&] { return ticks(1); }));
	recording.finish();
	const profil_status status = recording.status();
	const uint64_t threads = recording.of_kind(PROFIL_KIND_THREADS);
	CHECK(threads == status.counted + status.kernel);
	CHECK(recording.sum() - threads == status.counted + status.kernel);
}

TEST_CASE_METHOD(AtRest, "threads are not counted unless that is asked for", "[record]")
{
	Steps child([](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.sum(); }));
	CHECK(recording.of_kind(PROFIL_KIND_THREADS) == 0);
}

namespace {

/** All owners that the recording describes for a process. */
std::vector<Described> owners_of(const Recording &recording, pid_t pid)
{
	std::vector<Described> all;

	for (uint32_t number = 1; number <= recording.described(0).numbers; number++) {
		const Described one = recording.described(number);

		if (one.kind == PROFIL_KIND_OWNER && one.pid == pid)
			all.push_back(one);
	}
	return all;
}

} // namespace

TEST_CASE_METHOD(AtRest, "an owner lives on after its process could not be added once more", "[record]")
{
	const Child child([] { pause(); });
	Recording recording;

	recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	CHECK(recording.add(child.pid()) == EEXIST);
	const auto owners = owners_of(recording, child.pid());
	REQUIRE(owners.size() == 1);
	CHECK(owners[0].state == PROFIL_OWNER_LIVE);
}

TEST_CASE_METHOD(AtRest, "a process that executes its own program once more has a live owner",
		 "[record][lifetime]")
{
	const auto path = program("uapi_target");
	const auto where = std::to_string(text);
	const Gate go;
	const Child child([&] {
		go.wait();
		execl(path.c_str(), path.c_str(), "burn-again", where.c_str(), nullptr);
		need(-1, path.c_str());
	});
	Recording recording;

	recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	go.open();
	CHECK(soon([&] {
		const auto owners = owners_of(recording, child.pid());

		return owners.size() == 2 && owners[1].who() == "uapi_target" &&
		       recording.sum([&](const Row &row) {
			       /* The loop, which runs after the last exec. */
			       return row.owner.number == owners[1].number &&
				      row.text.kind == PROFIL_KIND_MEMORY;
		       }) > 0;
	}));
	const auto owners = owners_of(recording, child.pid());
	CHECK(owners[0].state == PROFIL_OWNER_ENDED);
	CHECK(owners[1].state == PROFIL_OWNER_LIVE);
}

TEST_CASE_METHOD(AtRest, "a process has the name of its first thread, whichever ticks first", "[record]")
{
	const Gate go;
	const Child child([&] {
		const Burner burner;

		burner.plant_loop(text);
		go.wait();
		std::thread([] {
			need(prctl(PR_SET_NAME, "second"), "PR_SET_NAME");
			for (;;)
				Burner::spin(text, 100'000);
		}).join();
	});
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	go.open();
	CHECK(grows(
		[&] { return recording.sum([&](const Row &row) { return row.owner.pid == child.pid(); }); }));
	for (const Described &owner : owners_of(recording, child.pid()))
		CHECK(owner.who() == "guest");
}

TEST_CASE_METHOD(AtRest, "the threads of each owner have its ticks, kernel threads too", "[record]")
{
	Recording recording(16384);
	std::map<uint32_t, uint64_t> of_threads, of_others;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL | PROFIL_RECORD_THREADS) == 0);
	for (int i = 0; i < 20; i++)
		Child([] {
			const Burner burner;
			burner.plant_syscalls(text, SYS_getppid);
			Burner::spin(text, 20'000);
		}).join();
	recording.finish();
	for (const Row &row : recording.rows()) {
		const bool threads = row.text.kind == PROFIL_KIND_THREADS;

		/* Interrupts have no thread. */
		if (row.owner.state != PROFIL_OWNER_IRQ && row.owner.state != PROFIL_OWNER_SOFTIRQ)
			(threads ? of_threads : of_others)[row.owner.number] += row.count;
	}
	CHECK(of_others.size() > 2);
	INFO(recording.rows_text());
	CHECK(of_threads == of_others);
}

TEST_CASE_METHOD(AtRest, "a tick that comes while its recording ends counts for its thread too",
		 "[record][window]")
{
	/* Several times as long as a tick takes in the module for these tests. */
	constexpr uint64_t period = 10'000'000;
	const Burner burner;

	burner.plant_loop(text);
	const Child child = burning_child(text);

	for (unsigned round = 0; round < 30; round++) {
		Recording recording(4096, period);

		recording.begin(child.pid(), PROFIL_FOLLOW | PROFIL_RECORD_THREADS);
		REQUIRE(soon([&] { return recording.sum() > 0; }));
		recording.finish();
		const uint64_t of_threads = recording.of_kind(PROFIL_KIND_THREADS);

		CHECK(of_threads == recording.sum() - of_threads);
	}
}
