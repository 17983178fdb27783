// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/event_programs.h  Processes that cause a known number of events, and
 * functions that look up the counts.
 */
#pragma once

#include "tests/guest/record/support.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <linux/perf_event.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace guest {

inline constexpr uint32_t event_flags = PROFIL_FOLLOW | PROFIL_EVENT;
inline constexpr size_t page = 4096;

/* Each function below fits into this many bytes. */
inline constexpr size_t longest = 64;

/** Touch each page for the first time. */
inline __attribute__((noinline, aligned(longest))) void touch(volatile char *from, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		from[i * page] = 1;
}

/** touch() at another address. */
inline __attribute__((noinline, aligned(longest))) void touch_again(volatile char *from, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		from[i * page] = 2;
}

/** Convert an address to an offset in the file that is mapped there. */
inline uint64_t file_offset(uintptr_t address)
{
	std::ifstream maps("/proc/self/maps");
	std::string line;

	while (std::getline(maps, line)) {
		uintptr_t low = 0, high = 0, offset = 0;

		if (sscanf(line.c_str(), "%lx-%lx %*s %lx", &low, &high, &offset) == 3 && address >= low &&
		    address < high)
			return address - low + offset;
	}
	throw std::runtime_error("nothing is mapped there");
}

/** The ticks in one of the functions above. */
template <typename Function> uint64_t ticks_in(const Recording &recording, Function *function)
{
	const uint64_t begin = file_offset(reinterpret_cast<uintptr_t>(function));

	return recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_FILE && row.owner.who() == "guest" &&
		       row.offset >= begin && row.offset < begin + longest;
	});
}

/** Memory without present pages, and without huge pages. */
inline volatile char *fresh_pages(size_t pages)
{
	void *const memory =
		mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need_that(memory != MAP_FAILED, "memory is mapped");
	madvise(memory, pages * page, MADV_NOHUGEPAGE);
	return static_cast<volatile char *>(memory);
}

/** A child that does some work when told to, says when it is done, and stays alive. */
class Worker {
public:
	explicit Worker(std::function<void()> work)
		: child_([this, work = std::move(work)] {
			  /*
			   * Fault in the functions' text: the first call of each can cause a fault,
			   * too.
			   */
			  const volatile size_t none = 0;

			  touch(nullptr, none);
			  touch_again(nullptr, none);
			  /*
			   * Wait once now, so that a later wait does not fault while a recording
			   * begins or ends.
			   */
			  ready_.open();
			  go_.wait();
			  ready_.open();
			  go_.wait();
			  work();
			  done_.open();
			  go_.wait();
		  })
	{
		ready_.wait();
		go_.open();
		ready_.wait();
	}

	pid_t pid() const { return child_.pid(); }
	void run()
	{
		go_.open();
		done_.wait();
	}

private:
	Gate ready_;
	Gate go_;
	Gate done_;
	Child child_;
};

/** Touches pages when told to. */
class Faulter : public Worker {
public:
	Faulter(size_t pages, size_t more)
		: Worker([pages, more] {
			  touch(fresh_pages(pages), pages);
			  if (more)
				  touch_again(fresh_pages(more), more);
		  })
	{
	}
};

/** A proof for page faults of a process in user mode: it needs no capability. */
inline Fd user_faults_of(pid_t pid)
{
	return open_proof({.pid = pid, .exclude_kernel = true, .config = PERF_COUNT_SW_PAGE_FAULTS});
}

/** A number in a device's fdinfo. */
inline uint64_t in_fdinfo(const Device &device, const std::string &name)
{
	std::ifstream lines("/proc/self/fdinfo/" + std::to_string(device.fd()));
	std::string line;

	while (std::getline(lines, line)) {
		if (line.starts_with(name + ":\t"))
			return std::stoull(line.substr(name.size() + 2));
	}
	throw std::runtime_error("no " + name + " in fdinfo");
}

} // namespace guest
