// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/jit_files.cpp  Perf maps of running processes, of their forked
 * children, and after an exec. */
#include "cli/objects/jit_files.h"
#include "cli/process/process.h"
#include "cli/symbols/symbols.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace cli;

namespace {

/** A forked child that does nothing. */
class Fork {
public:
	Fork()
	{
		REQUIRE(!pipe2(ends_, O_CLOEXEC));
		pid_ = fork();
		if (pid_)
			return;

		char nothing;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends_[1]);
		static_cast<void>(!read(ends_[0], &nothing, 1));
		execl("/bin/sleep", "sleep", "60", nullptr);
		_exit(127);
	}
	Fork(const Fork &) = delete;
	Fork &operator=(const Fork &) = delete;
	~Fork()
	{
		kill(pid_, SIGKILL);
		waitpid(pid_, nullptr, 0);
		close(ends_[0]);
		close(ends_[1]);
	}

	[[nodiscard]] pid_t pid() const { return pid_; }
	/** Makes the child execute another program, which does nothing either. */
	void run_another()
	{
		const std::string ours = program_path(getpid());

		close(std::exchange(ends_[1], -1));
		for (int looks = 0; looks < 10000 && program_path(pid_) == ours; looks++)
			usleep(1000);
		REQUIRE(program_path(pid_) != ours);
	}

private:
	int ends_[2];
	pid_t pid_;
};

/** A forked child that runs a function at its start, and another before it ends. */
class Ending {
public:
	/** @param prepare runs at once: the constructor waits for it.  @param last runs last. */
	template <typename Prepare, typename Last> Ending(Prepare prepare, Last last)
	{
		int ready[2];
		char byte = 0;

		REQUIRE(!pipe2(ends_, O_CLOEXEC));
		REQUIRE(!pipe2(ready, O_CLOEXEC));
		pid_ = fork();
		if (!pid_) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(ends_[1]);
			byte = prepare();
			static_cast<void>(!write(ready[1], &byte, 1));
			static_cast<void>(!read(ends_[0], &byte, 1));
			last(getpid());
			_exit(0);
		}
		prepared_ = read(ready[0], &byte, 1) == 1 && byte;
		close(ready[0]);
		close(ready[1]);
	}
	Ending(const Ending &) = delete;
	Ending &operator=(const Ending &) = delete;
	~Ending()
	{
		end();
		reap();
		close(ends_[0]);
	}

	[[nodiscard]] pid_t pid() const { return pid_; }
	[[nodiscard]] bool prepared() const { return prepared_; }
	/** Makes the child end, and waits until it is a zombie. */
	void end()
	{
		siginfo_t about;

		if (ends_[1] >= 0) {
			close(std::exchange(ends_[1], -1));
			waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOWAIT);
		}
	}
	void reap()
	{
		if (!std::exchange(reaped_, true))
			waitpid(pid_, nullptr, 0);
	}

private:
	int ends_[2];
	pid_t pid_;
	bool prepared_ = false;
	bool reaped_ = false;
};

std::string map_path(pid_t pid)
{
	return fmt::format("/tmp/perf-{}.map", pid);
}

void write_map(pid_t pid, const std::string &text)
{
	std::ofstream(map_path(pid)) << text;
}

std::string name_in(JitFiles &files, uint64_t address)
{
	const JitSymbols symbols = files.read();
	const JitSymbols::Entry *entry = symbols.find(address);

	return entry ? entry->code->name : "";
}

/** The perf map of a process; it is removed by the destructor. */
class MapFile {
public:
	MapFile(pid_t pid, const std::string &text) : path_(fmt::format("/tmp/perf-{}.map", pid))
	{
		std::ofstream(path_) << text;
	}
	MapFile(const MapFile &) = delete;
	MapFile &operator=(const MapFile &) = delete;
	~MapFile() { unlink(path_.c_str()); }

private:
	std::string path_;
};

Mapping anonymous_at(uint64_t start)
{
	Mapping mapping;

	mapping.start = start;
	mapping.end = start + 0x1000;
	mapping.name = "[anon]";
	mapping.source = Source::Anonymous;
	return mapping;
}

/** The name of code in anonymous memory. */
std::string name_in_memory(ObjectTable &objects, pid_t pid, uint64_t address)
{
	const std::vector<Frame> frames =
		Symbols(*objects.find(pid, anonymous_at(address & ~uint64_t{0xFFF}))).frames(address);

	return frames.at(0).name == fmt::format("[anon:{}] (no names)", pid) ? "" : frames[0].name;
}

} // namespace

TEST_CASE("memory has the names of its process's perf map, which may appear late and be deleted",
	  "[cli][jit]")
{
	const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
	Object object;

	object.source = Source::Anonymous;
	object.name = "[anon]";
	object.jit = std::make_shared<JitFiles>(getpid());
	object.jit->look();
	CHECK(Symbols(object).frames(0x5000).at(0).name == "[anon] (no names)");

	std::ofstream(path) << "5000 40 jitted\n";
	/* look() does nothing for some time after it has looked. */
	for (int looks = 0; looks < 1000 && !Symbols(object).has_functions(); looks++) {
		usleep(1000);
		object.jit->look();
	}
	unlink(path.c_str());
	REQUIRE(Symbols(object).frames(0x5010).size() == 1);
	CHECK(Symbols(object).frames(0x5010)[0].name == "jitted");
	CHECK(Symbols(object).frames(0x5040).at(0).name == "[anon] (no names)");
}

TEST_CASE("a perf map that another user owns, a symbolic link or a FIFO is not used", "[cli][jit]")
{
	const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
	const support::TemporaryDirectory directory;
	const auto found = [] {
		JitFiles files(getpid());

		files.look();
		return !files.read().empty();
	};

	if (geteuid() == 0) {
		std::ofstream(path) << "5000 40 hostile\n";
		REQUIRE(!chown(path.c_str(), 65534, 65534));
		CHECK_FALSE(found());
		unlink(path.c_str());
	}
	std::ofstream(directory / "map") << "5000 40 linked\n";
	REQUIRE(!symlink((directory / "map").c_str(), path.c_str()));
	CHECK_FALSE(found());
	unlink(path.c_str());
	REQUIRE(!mkfifo(path.c_str(), 0600));
	CHECK_FALSE(found());
	unlink(path.c_str());
	std::ofstream(path) << "5000 40 own\n";
	CHECK(found());
	unlink(path.c_str());
	if (geteuid() != 0)
		support::skip("only root can give a file to another user");
}

TEST_CASE("a forked child has its parent's names where it has none of its own", "[cli][jit]")
{
	const Fork child;
	const MapFile parents(getpid(), "5000 40 inherited\n5100 40 replaced\n");

	{
		ObjectTable objects;

		CHECK(name_in_memory(objects, child.pid(), 0x5010) == "inherited");
		CHECK(name_in_memory(objects, child.pid(), 0x5110) == "replaced");
		CHECK(name_in_memory(objects, child.pid(), 0x5040).empty());
	}
	const MapFile own(child.pid(), "5100 40 own\n");
	ObjectTable objects;

	CHECK(name_in_memory(objects, child.pid(), 0x5010) == "inherited");
	CHECK(name_in_memory(objects, child.pid(), 0x5110) == "own");
}

TEST_CASE("a child that runs another program has none of its parent's names", "[cli][jit]")
{
	const MapFile parents(getpid(), "5000 40 jitted\n");
	ObjectTable objects;
	Fork child;

	child.run_another();
	CHECK(name_in_memory(objects, getpid(), 0x5010) == "jitted");
	CHECK(name_in_memory(objects, child.pid(), 0x5010).empty());
}

TEST_CASE("a perf map that a process writes at its end names its code, before and after it is reaped",
	  "[cli][jit]")
{
	for (const bool reaped : {false, true}) {
		CAPTURE(reaped);
		Ending child([] { return true; }, [](pid_t self) { write_map(self, "5000 40 last\n"); });
		JitFiles files(child.pid());

		files.look();
		CHECK(name_in(files, 0x5010).empty());
		child.end();
		if (reaped)
			child.reap();
		CHECK(name_in(files, 0x5010) == "last");
		unlink(map_path(child.pid()).c_str());
		/* The map was opened before it was removed. */
		CHECK(name_in(files, 0x5010) == "last");
	}
}

TEST_CASE("the perf map that a process leaves replaces an earlier one, in the same file or another",
	  "[cli][jit]")
{
	for (const bool another : {false, true}) {
		CAPTURE(another);
		Ending child([] { return true; },
			     [&](pid_t self) {
				     if (another)
					     unlink(map_path(self).c_str());
				     write_map(self, "5000 40 last\n");
			     });
		JitFiles files(child.pid());

		write_map(child.pid(), "5000 40 early\n");
		files.look();
		CHECK(name_in(files, 0x5010) == "early");
		child.end();
		child.reap();
		CHECK(name_in(files, 0x5010) == "last");
		unlink(map_path(child.pid()).c_str());
	}
}

TEST_CASE("a perf map of an ended process is not used if another user owns it, or if it is a link",
	  "[cli][jit]")
{
	const support::TemporaryDirectory directory;
	const auto found = [&](auto make) {
		Ending child([] { return true; }, [](pid_t) {});
		JitFiles files(child.pid());

		files.look();
		child.end();
		child.reap();
		make(map_path(child.pid()));
		const bool named = !name_in(files, 0x5010).empty();

		unlink(map_path(child.pid()).c_str());
		return named;
	};
	const auto owned_by = [](uid_t user) {
		return [user](const std::string &path) {
			std::ofstream(path) << "5000 40 name\n";
			REQUIRE(!chown(path.c_str(), user, user));
		};
	};

	std::ofstream(directory / "map") << "5000 40 linked\n";
	CHECK(found(owned_by(geteuid())));
	CHECK_FALSE(found([&](const std::string &path) {
		REQUIRE(!symlink((directory / "map").c_str(), path.c_str()));
	}));
	if (geteuid() != 0)
		support::skip("only root can give a file to another user");
	CHECK_FALSE(found(owned_by(65534)));
}

TEST_CASE("a perf map in a container that ends with its process is read", "[cli][jit]")
{
	Ending child(
		[] {
			return !unshare(CLONE_NEWNS) &&
			       !mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) &&
			       !mount("tmpfs", "/tmp", "tmpfs", 0, nullptr);
		},
		[](pid_t self) { write_map(self, "5000 40 contained\n"); });
	JitFiles files(child.pid());

	if (!child.prepared())
		support::skip("a mount namespace needs CAP_SYS_ADMIN");
	files.look();
	child.end();
	child.reap();
	CHECK(access(map_path(child.pid()).c_str(), F_OK) != 0);
	CHECK(name_in(files, 0x5010) == "contained");
}

TEST_CASE("a perf map of another user's process in a user namespace of its own is not read", "[jit]")
{
	for (const bool apart : {false, true}) {
		Ending child(
			[&] {
				constexpr id_t nobody = 65534;

				write_map(getpid(), "5000 40 mapped\n");
				return !setgid(nobody) && !setuid(nobody) && !prctl(PR_SET_DUMPABLE, 1) &&
				       (!apart || !unshare(CLONE_NEWUSER));
			},
			[](pid_t) {});
		JitFiles files(child.pid());

		if (!child.prepared())
			support::skip("another user and a user namespace need root");
		files.look();
		child.end();
		child.reap();
		CHECK(name_in(files, 0x5010) == (apart ? "" : "mapped"));
		unlink(map_path(child.pid()).c_str());
	}
}

TEST_CASE("processes that share a /tmp share one descriptor of it, which is closed with the last of them",
	  "[cli][jit]")
{
	const auto descriptors = [] {
		return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
	};
	const auto before = descriptors();
	Ending one([] { return true; }, [](pid_t) {});
	Ending two([] { return true; }, [](pid_t) {});
	const auto without = descriptors();
	JitFiles first(one.pid());
	JitFiles second(two.pid());

	CHECK(without == before + 4);
	first.look();
	second.look();
	CHECK(descriptors() == without + 1);
	/* End the second child first: it has a copy of a descriptor that keeps the other alive. */
	for (Ending *child : {&two, &one}) {
		child->end();
		child->reap();
	}
	static_cast<void>(first.read());
	CHECK(descriptors() == before + 2 + 1);
	static_cast<void>(second.read());
	CHECK(descriptors() == before + 2);
}

TEST_CASE("a perf map that is written after an exec is not used for the program before it", "[cli][jit]")
{
	Fork child;
	JitFiles files(child.pid());

	child.run_another();
	const MapFile map(child.pid(), "5000 40 jitted\n");

	files.look();
	CHECK(files.read().empty());
}

TEST_CASE("a fork keeps the program start that an exec sets", "[cli]")
{
	const std::optional<ProgramStart> ours = program_start(getpid());
	Fork child;

	REQUIRE(ours);
	CHECK(parent_of(child.pid()) == getpid());
	CHECK(program_start(child.pid()) == ours);
	child.run_another();
	CHECK(program_start(child.pid()) != ours);
	CHECK_FALSE(program_start(4194304));
	CHECK(parent_of(4194304) == 0);
}
