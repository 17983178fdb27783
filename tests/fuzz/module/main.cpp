// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/main.cpp  A fuzzer of /dev/profil that knows its structures.
 *
 * Workers are processes whose threads issue random operations: commands by ioctl and io_uring,
 * forks, execs, closes, signals, and changes to the memory of the counters.  Some of that memory is
 * a FUSE file, whose pages come late or never.  Now and then, workers are killed and replaced.
 * A thread's actions depend on the seed, its worker's number and generation, and its own number;
 * their results depend on the other threads.
 */
#include "tests/fuzz/module/random.h"
#include "tests/fuzz/module/shared.h"
#include "tests/fuzz/module/slow_file.h"
#include "tests/fuzz/module/worker.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <getopt.h>
#include <iostream>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace fuzz {

Shared *shared;
thread_local Place place;

void complain(const char *format, ...)
{
	char text[300];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/*
	 * Report only the first failure, as others follow from it.  The main process prints the
	 * message: unlike workers, it gets no signals.
	 */
	if (!shared->failed.exchange(true))
		snprintf(shared->why, sizeof(shared->why),
			 "worker %u generation %u thread %u step %lu depth %u: %s", place.worker,
			 place.generation, place.thread, place.step, place.depth, text);
	shared->stop = true;
}

namespace {

constexpr const char *usage = R"(fuzz [--seed N] [--seconds S] [--workers N] [--threads N] [--among-others]
     [--together]
  Fuzz /dev/profil for S seconds (default 10), as root, with N processes
  (default 4) of N threads (default 3).  The same seed repeats a run.
  Prints the seed first and a summary at the end; exit status 1 if an
  invariant did not hold, or something was left behind.
  --among-others: leave the profiles of other users of the module alone, and
  do not check what is left behind.
  --together: the threads of a process share one file and one target, give
  no commands on self profiles, and a CPU goes offline and online.
)";

constexpr const char *statistics = "/sys/class/misc/profil/";
constexpr time_t patience = 120; /* seconds, for something that should happen at once */

struct Options {
	uint64_t seed = 0;
	time_t seconds = 10;
	unsigned workers = 4, threads = 3;
	bool among_others = false, together = false;
};

std::string contents(const std::string &path)
{
	std::ifstream file(path);

	return {std::istreambuf_iterator<char>(file), {}};
}

uint64_t statistic(const std::string &name)
{
	const auto text = contents(statistics + name);

	if (text.empty()) {
		std::cerr << "fuzz: cannot read " << statistics << name << ": load the module, run as root\n";
		exit(2);
	}
	return std::stoull(text);
}

/** True if the first number of the file "ticks" is the sum of the others. */
bool ticks_add_up(uint64_t &counted)
{
	std::istringstream lines(contents(std::string(statistics) + "ticks"));
	uint64_t ticks = 0, sum = 0, number;
	std::string name;

	while (lines >> name >> number) {
		(name == "ticks" ? ticks : sum) += number;
		if (name == "counted")
			counted = number;
	}
	return ticks == sum;
}

struct Rest {
	uint64_t profiles = statistic("profiles"), images = statistic("images"),
		 pages = statistic("pinned_pages");

	bool operator==(const Rest &) const = default;
};

time_t now()
{
	timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

void nap()
{
	usleep(20'000);
}

struct Generations {
	unsigned of[max_workers] = {};
};

void start_worker(unsigned number, Generations &generations, const Options &options)
{
	const unsigned generation = generations.of[number]++;
	const pid_t pid = fork();

	if (!pid)
		be_worker(number, generation, options.threads);
	shared->worker[number] = std::max(pid, 0);
}

/** Reaps our ended children, which include orphans of workers. */
void reap()
{
	pid_t pid;

	while ((pid = waitpid(-1, nullptr, WNOHANG)) > 0)
		for (auto &worker : shared->worker)
			if (worker == pid)
				worker = 0;
}

/** All our children, which include orphans of workers. */
std::vector<pid_t> descendants()
{
	std::vector<pid_t> found;
	std::istringstream numbers(contents("/proc/thread-self/children"));

	for (pid_t pid; numbers >> pid;)
		found.push_back(pid);
	return found;
}

/** The state and kernel stack of each thread of a process. */
std::string whereabouts(pid_t pid)
{
	const auto threads = "/proc/" + std::to_string(pid) + "/task";
	std::error_code ended;
	std::string text;

	for (const auto &thread : std::filesystem::directory_iterator(threads, ended))
		for (const char *file : {"stat", "syscall", "stack"})
			text += contents(thread.path() / file);
	return text;
}

/** Switch the second CPU off and on, if that is possible. */
void switch_cpu()
{
	for (const char *value : {"0", "1"})
		std::ofstream("/sys/devices/system/cpu/cpu1/online") << value;
}

void run_workers(const Options &options, SlowFile &slow_file)
{
	Generations generations;
	Random random(mix(shared->seed));
	const time_t end = now() + options.seconds;

	while (now() < end && !shared->failed) {
		for (unsigned i = 0; i < options.workers; i++)
			if (!shared->worker[i])
				start_worker(i, generations, options);
		nap();
		reap();
		if (random.one_in(40)) {
			const pid_t pid = shared->worker[random.below(options.workers)];
			if (pid > 0 && !kill(pid, SIGKILL))
				shared->kills++;
		}
		if (random.one_in(100))
			slow_file.restart();
		if (options.together && !options.among_others && random.one_in(40))
			switch_cpu();
	}
	shared->stop = true;
}

bool end_workers()
{
	const time_t began = now();

	while (!descendants().empty()) {
		reap();
		nap();
		if (now() - began > patience / 4)
			for (const pid_t pid : descendants())
				kill(pid, SIGKILL);
		if (now() - began > patience) {
			for (const pid_t pid : descendants())
				std::cout << "fuzz: process " << pid << " does not end:\n"
					  << whereabouts(pid);
			complain("processes do not end, though killed");
			return false;
		}
	}
	return true;
}

void check_rest(const Rest &before)
{
	const time_t began = now();

	while (!(Rest() == before) && now() - began < patience)
		nap();
	const Rest after;
	if (!(after == before))
		complain("left behind: profiles %lu, images %lu, pinned pages %lu; before: %lu, %lu, %lu",
			 after.profiles, after.images, after.pages, before.profiles, before.images,
			 before.pages);
}

/** The files and the cgroup that workers use.  Removed at the end. */
class Surroundings {
public:
	Surroundings()
	{
		const auto mine = std::to_string(getpid());

		name(shared->guarded, "/tmp/profil-fuzz-" + mine);
		name(shared->group, "/sys/fs/cgroup/profil-fuzz-" + mine);
		std::filesystem::copy_file("/proc/self/exe", shared->guarded);
		if (chmod(shared->guarded, 04755))
			complain("chmod: error %d", errno);
		write("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
		if (mkdir(shared->group, 0755))
			shared->group[0] = 0;
		else
			write(std::string(shared->group) + "/memory.max", "24M");
	}
	~Surroundings()
	{
		unlink(shared->guarded);
		rmdir(shared->group);
	}
	Surroundings(const Surroundings &) = delete;
	Surroundings &operator=(const Surroundings &) = delete;

private:
	static void name(char (&to)[64], const std::string &path)
	{
		snprintf(to, sizeof(to), "%s", path.c_str());
	}
	static void write(const std::string &path, const char *value) { std::ofstream(path) << value; }
};

void print_numbers(uint64_t counted)
{
	std::cout << "fuzz: " << shared->commands << " commands (" << shared->succeeded << " succeeded, "
		  << shared->refused << " refused, " << shared->by_ring << " by io_uring, "
		  << shared->recordings << " recordings), " << shared->forks << " forks, " << shared->execs
		  << " execs, " << shared->kills << " kills, " << shared->waited << " waits, "
		  << shared->slow_reads << " FUSE reads (" << shared->slow_late << " late, "
		  << shared->slow_never << " never answered), " << counted << " samples" << std::endl;
}

int fuzz_all(const Options &options)
{
	const Rest before;
	const Surroundings surroundings;
	uint64_t counted_before = 0, counted = 0;

	ticks_add_up(counted_before);
	std::cout << "fuzz: seed " << shared->seed << ", " << options.seconds << " s, " << options.workers
		  << " workers of " << options.threads << " threads" << std::endl;
	SlowFile slow_file;
	run_workers(options, slow_file);
	/* Workers that wait for a page cannot be ended, so end the file system first. */
	slow_file.end();
	if (end_workers() && !options.among_others)
		check_rest(before);
	if (!ticks_add_up(counted) && !shared->failed && !options.among_others)
		complain("the ticks of all profiles are not the sum of their causes");
	print_numbers(counted - counted_before);
	if (shared->failed)
		std::cout << "fuzz: " << shared->why << "\nfuzz: FAILED; again with: --seed " << shared->seed
			  << std::endl;
	return shared->failed ? 1 : 0;
}

uint64_t number_of(const char *text)
{
	char *end;
	const auto number = strtoull(text, &end, 10);

	if (*end || !*text) {
		std::cerr << "fuzz: not a number: " << text << '\n' << usage;
		exit(2);
	}
	return number;
}

Options options_of(int argc, char **argv)
{
	static const option names[] = {{"seed", 1, nullptr, 's'},	  {"seconds", 1, nullptr, 't'},
				       {"workers", 1, nullptr, 'w'},	  {"threads", 1, nullptr, 'n'},
				       {"burn", 1, nullptr, 'b'},	  {"help", 0, nullptr, 'h'},
				       {"among-others", 0, nullptr, 'o'}, {"together", 0, nullptr, 'g'},
				       {nullptr, 0, nullptr, 0}};
	Options options;

	if (getrandom(&options.seed, sizeof(options.seed), 0) < 0)
		options.seed = static_cast<uint64_t>(time(nullptr));
	for (int name; (name = getopt_long(argc, argv, "", names, nullptr)) >= 0;) {
		switch (name) {
		case 's': options.seed = number_of(optarg); break;
		case 't': options.seconds = static_cast<time_t>(number_of(optarg)); break;
		case 'w': options.workers = static_cast<unsigned>(number_of(optarg)); break;
		case 'n': options.threads = static_cast<unsigned>(number_of(optarg)); break;
		case 'o': options.among_others = true; break;
		case 'g': options.together = true; break;
		case 'b':
			/* Our own children exec this. */
			burn(number_of(optarg));
			_exit(0);
		default: (name == 'h' ? std::cout : std::cerr) << usage; exit(name == 'h' ? 0 : 2);
		}
	}
	options.workers = std::clamp(options.workers, 1U, max_workers);
	options.threads = std::clamp(options.threads, 1U, max_workers);
	return options;
}

} // namespace

} // namespace fuzz

int main(int argc, char **argv)
{
	const auto options = fuzz::options_of(argc, argv);
	void *const memory = mmap(nullptr, sizeof(fuzz::Shared), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1))
		return 2;
	fuzz::shared = new (memory) fuzz::Shared{};
	fuzz::shared->seed = options.seed;
	fuzz::shared->among_others = options.among_others;
	fuzz::shared->together = options.together;
	return fuzz::fuzz_all(options);
}
