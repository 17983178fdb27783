// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/race.h  Shared by the tests of races: the number of rounds, processes
 * that spin in the background, and memory that must not be written any more.
 */
#pragma once

#include "tests/guest/support/device.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace guest {

/**
 * The number of rounds of a test's loop: @p number times the environment variable RACE_ROUNDS
 * (default 1).
 */
unsigned rounds(unsigned number);

/** Threads of this process that run a planted loop while this lives. */
class Burners {
public:
	explicit Burners(uintptr_t pc, unsigned number = 1);
	Burners(const Burners &) = delete;
	Burners &operator=(const Burners &) = delete;
	~Burners();

private:
	std::atomic<bool> done_ = false;
	std::vector<std::thread> threads_;
};

/** A child whose threads all run a planted loop until it is killed. */
Child burning_child(uintptr_t pc, unsigned threads = 1);

/** give_up() fills memory with a pattern; given_up() checks that the pattern is still there. */
void give_up(const Memory &memory, size_t offset, size_t bytes);
bool given_up(const Memory &memory, size_t offset, size_t bytes);
inline void give_up(const Memory &memory)
{
	give_up(memory, 0, memory.bytes());
}
inline bool given_up(const Memory &memory)
{
	return given_up(memory, 0, memory.bytes());
}

/**
 * Ticks that the module has counted in all memory since this was made.  Once nothing runs, the
 * counters in memory must add up to this number.
 */
class ModuleCount {
public:
	ModuleCount() : before_(module_ticks("counted")) {}
	bool becomes(uint64_t number) const;

private:
	uint64_t before_;
};

/** A control group with a controller.  At the end its processes are killed, and it is removed. */
class Cgroup {
public:
	explicit Cgroup(const std::string &name, const std::string &controller = "memory");
	Cgroup(const Cgroup &) = delete;
	Cgroup &operator=(const Cgroup &) = delete;
	~Cgroup();

	void set(const std::string &file, const std::string &value) const;
	std::string get(const std::string &file) const;
	/** A number in a file of names and numbers, such as memory.events. */
	uint64_t number(const std::string &file, const std::string &name) const
	{
		return named_number(path_ + "/" + file, name);
	}
	/** Move the caller, or another process, into the group. */
	void enter(pid_t pid = 0) const;
	/** Freeze or thaw the group, and wait until that is done. */
	void freeze(bool frozen) const;

private:
	std::string path_;
};

} // namespace guest
