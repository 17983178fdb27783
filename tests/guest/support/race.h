// SPDX-License-Identifier: GPL-2.0-or-later
// What the tests of races share: how often, who burns meanwhile, and memory
// that nobody may write any more.
#pragma once

#include "tests/guest/support/device.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace guest {

// The rounds of a loop: a constant of the test, as often as the variable
// RACE_ROUNDS of the environment says (default once).
unsigned rounds(unsigned number);

// Threads of this process that go round a loop that was planted, to their end.
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

// A child all of whose threads do so, until it is killed.
Child burning_child(uintptr_t pc, unsigned threads = 1);

// Memory that was given up: filled, it stays as it is.
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

// Ticks that the module counted in anybody's memory since this was made: once
// nobody runs, what is found there.
class ModuleCount {
public:
	ModuleCount() : before_(module_ticks("counted")) {}
	bool becomes(uint64_t number) const;

private:
	uint64_t before_;
};

// A control group with the controller for memory.  At the end its processes
// are killed, and it is removed.
class Cgroup {
public:
	explicit Cgroup(const std::string &name);
	Cgroup(const Cgroup &) = delete;
	Cgroup &operator=(const Cgroup &) = delete;
	~Cgroup();

	void set(const std::string &file, const std::string &value) const;
	std::string get(const std::string &file) const;
	// The caller, or another process.
	void enter(pid_t pid = 0) const;
	// Until all of them stand still, or go on.
	void freeze(bool frozen) const;

private:
	std::string path_;
};

} // namespace guest
