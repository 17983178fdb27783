// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/memory.cpp  The memory of a profile in bytes.
 *
 * Measured as the increase of the kernel's memory in /proc/meminfo, once it no longer changes.
 *
 * Usage: memory WHAT METHOD
 *        memory now
 * kernel: the kernel's own memory for each of a thousand additional processes, without
 *   counters and buffers;
 * process: the same for each of a hundred additional processes, with counters and buffers: profil
 *   (a recording with a table of 64 KiB, which is pinned), perf (an event and the default buffer
 *   of perf record, which is mapped), bpf (the program of count.bpf.c, which has as many
 *   counters, in the kernel's own memory);
 * thread: the kernel's own memory for each thread of a process with 5,000.
 * now: the kernel's memory at this moment; prints only the number of bytes.
 * METHOD is profil; for process also perf and bpf; for kernel and thread also perf.
 * Prints, as cost does: memory-WHAT METHOD 0 1 BYTES 1 0 0
 */
#include "tests/bench/bench.h"
#include "tests/bench/count.skel.h"
#include "tests/bench/method.h"
#include "tests/bench/recording.h"
#include "tests/bench/target.h"
#include "tests/bench/work.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace bench;

namespace {

constexpr std::size_t perf_buffer = (std::size_t{512} << 10) + 4096; /* perf-record(1), --mmap-pages */

void write_to(const std::filesystem::path &file, const char *text)
{
	std::ofstream out(file);

	out << text << std::flush;
	if (!out)
		die(file.c_str());
}

double mapped_buffers = 0;

/** Makes the kernel give back freed memory, which may be in caches or wait for a grace period. */
void settle()
{
	const timespec moment = {0, 300'000'000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr);
	write_to("/proc/sys/vm/drop_caches", "3");
	for (const auto &slab : std::filesystem::directory_iterator("/sys/kernel/slab"))
		if (!slab.is_symlink())
			write_to(slab.path() / "shrink", "1");
	write_to("/proc/sys/vm/compact_memory", "1"); /* this also empties the CPUs' lists of pages */
}

/** A value in /proc/meminfo, in bytes. */
double meminfo(const std::string &wanted)
{
	std::ifstream lines("/proc/meminfo");
	std::string name, unit;
	double number = 0;

	while (lines >> name >> number && std::getline(lines, unit))
		if (name == wanted + ":")
			return number * 1024;
	errno = ENOENT;
	die(wanted.c_str());
}

/** Reads a value until it is the same twice in a row. */
double settled(double (*value)())
{
	constexpr int tries = 30;
	double before = -1;

	for (int i = 0; i < tries; i++) {
		settle();
		const double after = value();
		if (after == before)
			return after;
		before = after;
	}
	errno = ETIMEDOUT;
	die("the machine's memory keeps changing");
}

double kernel_memory()
{
	return settled([] { return meminfo("SUnreclaim") + meminfo("Percpu") + meminfo("VmallocUsed"); });
}

/** The kernel's memory, plus pinned pages and mapped buffers. */
double with_buffers()
{
	std::ifstream file("/sys/class/misc/profil/pinned_pages");
	double pinned = 0;

	if (!(file >> pinned))
		die("pinned_pages");
	return kernel_memory() + pinned * 4096 + mapped_buffers;
}

std::vector<pid_t> targets_with_a_thread(unsigned number)
{
	std::vector<pid_t> pids;

	for (unsigned i = 0; i < number; i++)
		pids.push_back(target_with(1));
	return pids;
}

/** Record a process.  If @p shared, add it to the first recording, which needs no new table. */
void record(pid_t pid, bool shared)
{
	constexpr std::uint64_t period = 1'000'000;
	static std::deque<Recording> recordings;

	if (shared && !recordings.empty())
		return recordings.front().add({&pid, 1});
	recordings.emplace_back().begin(pid, PROFIL_FOLLOW, period);
}

int open_event(pid_t pid)
{
	perf_event_attr attr{};

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.size = sizeof attr;
	attr.sample_period = 1'000'000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	const auto event =
		static_cast<int>(syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC));

	if (event < 0)
		die("perf_event_open");
	return event;
}

void perf_attach_to(pid_t pid, bool bare)
{
	const int event = open_event(pid);

	if (bare)
		return;
	if (mmap(nullptr, perf_buffer, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0) == MAP_FAILED)
		die("mmap of an event");
	mapped_buffers += perf_buffer;
}

void bpf_attach_to(pid_t pid, bool)
{
	count_bpf *const skeleton = count_bpf::open(nullptr);

	if (!skeleton)
		die("BPF skeleton");
	skeleton->rodata->low = 0x400000;
	if (count_bpf::load(skeleton) ||
	    !bpf_program__attach_perf_event(skeleton->progs.count, open_event(pid)))
		die("BPF");
}

using Attach = void (*)(pid_t, bool);

/**
 * The memory for each process of the second half: the first half also allocates memory that is
 * needed only once.
 */
double each_process(Attach attach_to, unsigned number, double (*memory)(), bool bare)
{
	const std::vector<pid_t> pids = targets_with_a_thread(2 * number);
	double before = 0;

	for (unsigned i = 0; i < 2 * number; i++) {
		if (i == number)
			before = memory();
		attach_to(pids[i], bare);
	}
	return (memory() - before) / number;
}

double each_thread(const std::string &method)
{
	constexpr unsigned threads = 5000;
	const pid_t first = target_with(1), pid = target_with(threads);

	if (method == "profil")
		record(first, true);
	const double before = kernel_memory();
	if (method == "profil") {
		record(pid, true);
		return (kernel_memory() - before) / threads;
	}
	for (const auto &thread :
	     std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task"))
		open_event(std::stoi(thread.path().filename()));
	return (kernel_memory() - before) / threads;
}

double measure(const std::string &what, const std::string &method)
{
	const Attach attach_to = method == "profil" ? record
				 : method == "perf" ? perf_attach_to
						    : bpf_attach_to;

	if (what == "process")
		return each_process(attach_to, 100, with_buffers, false);
	if (what == "kernel")
		return each_process(attach_to, 1000, kernel_memory, true);
	return each_thread(method);
}

} // namespace

int main(int argc, char **argv)
{
	const rlimit many = {65536, 65536};

	if (argc == 2 && !std::strcmp(argv[1], "now")) {
		std::printf("%.0f\n", kernel_memory());
		return 0;
	}
	if (argc != 3) {
		std::fprintf(stderr, "usage: memory process|kernel|thread profil|perf|bpf\n");
		return 2;
	}
	if (setrlimit(RLIMIT_NOFILE, &many))
		die("RLIMIT_NOFILE");
	std::printf("memory-%s %s 0 1 %.1f 1 0 0\n", argv[1], argv[2], measure(argv[1], argv[2]));
	return 0;
}
