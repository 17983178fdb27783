// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/support/race.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace guest {

constexpr uint64_t piece = 20'000;
constexpr uint8_t pattern = 0xa5;

unsigned rounds(unsigned number)
{
	const char *times = getenv("RACE_ROUNDS");

	return times ? number * static_cast<unsigned>(std::max(atoi(times), 1)) : number;
}

Burners::Burners(uintptr_t pc, unsigned number)
{
	for (unsigned i = 0; i < number; i++)
		threads_.emplace_back([this, pc] {
			while (!done_)
				Burner::spin(pc, piece);
		});
}

Burners::~Burners()
{
	done_ = true;
	for (auto &thread : threads_)
		thread.join();
}

Child burning_child(uintptr_t pc, unsigned threads)
{
	return Child([=] {
		std::vector<std::thread> others;

		for (unsigned i = 1; i < threads; i++)
			others.emplace_back([=] {
				for (;;)
					Burner::spin(pc, piece);
			});
		for (;;)
			Burner::spin(pc, piece);
	});
}

void give_up(const Memory &memory, size_t offset, size_t bytes)
{
	memset(memory.at(offset), pattern, bytes);
}

bool given_up(const Memory &memory, size_t offset, size_t bytes)
{
	const auto *start = memory.at<volatile uint8_t>(offset);

	return std::all_of(start, start + bytes, [](uint8_t byte) { return byte == pattern; });
}

bool ModuleCount::becomes(uint64_t number) const
{
	return soon([&] { return module_ticks("counted") - before_ == number; });
}

Cgroup::Cgroup(const std::string &name, const std::string &controller) : path_("/sys/fs/cgroup/" + name)
{
	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+" + controller);
	need(mkdir(path_.c_str(), 0755), path_.c_str());
}

Cgroup::~Cgroup()
{
	try {
		set("cgroup.kill", "1");
		soon([this] { return !rmdir(path_.c_str()); });
	} catch (const std::exception &problem) {
		dprintf(2, "cannot remove %s: %s\n", path_.c_str(), problem.what());
	}
}

void Cgroup::set(const std::string &file, const std::string &value) const
{
	write_file(path_ + "/" + file, value);
}

std::string Cgroup::get(const std::string &file) const
{
	return read_file(path_ + "/" + file);
}

void Cgroup::enter(pid_t pid) const
{
	set("cgroup.procs", std::to_string(pid));
}

void Cgroup::freeze(bool frozen) const
{
	const std::string line = frozen ? "frozen 1\n" : "frozen 0\n";

	set("cgroup.freeze", frozen ? "1" : "0");
	need_that(soon([&] { return get("cgroup.events").find(line) != std::string::npos; }),
		  "the group is frozen, or thawed");
}

} // namespace guest
