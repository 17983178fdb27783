// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/work.h"

#include "tests/bench/bench.h"
#include "tests/bench/method.h"
#include "tests/bench/places.h"

#include <array>
#include <filesystem>
#include <map>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

[[gnu::noinline, gnu::aligned(64)]] void burn(long n)
{
	asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

template <int> [[gnu::noinline, gnu::aligned(64)]] static void loop(long n)
{
	asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

const std::array<void (*)(long), 4> loops = {loop<0>, loop<1>, loop<2>, loop<3>};

namespace {

constexpr int rounds = 10'000; /* of a ping-pong, with two switches each */
constexpr int threads = 1'000;
constexpr int children = 50;
constexpr std::size_t fresh = 4096; /* pages */

void nothing() {}

struct Pipes {
	int there[2];
	int back[2];
};

void *answer(void *data)
{
	const auto *pipes = static_cast<Pipes *>(data);
	char byte = 0;
	for (int i = 0; i < rounds; i++)
		if (read(pipes->there[0], &byte, 1) != 1 || write(pipes->back[1], &byte, 1) != 1)
			die("pipe");
	return nullptr;
}

void ask(const Pipes &pipes)
{
	char byte = 0;
	for (int i = 0; i < rounds; i++)
		if (write(pipes.there[1], &byte, 1) != 1 || read(pipes.back[0], &byte, 1) != 1)
			die("pipe");
}

/** Two threads of one process pass a byte to and fro. */
void ping_pong()
{
	Pipes pipes{};
	if (pipe(pipes.there) || pipe(pipes.back))
		die("pipe");
	pthread_t thread{};
	if (pthread_create(&thread, nullptr, answer, &pipes))
		die("pthread_create");
	ask(pipes);
	pthread_join(thread, nullptr);
	for (const int fd : {pipes.there[0], pipes.there[1], pipes.back[0], pipes.back[1]})
		close(fd);
}

void make_threads()
{
	for (int i = 0; i < threads; i++) {
		pthread_t thread{};

		if ((errno = pthread_create(
			     &thread, nullptr, [](void *data) { return data; }, nullptr)))
			die("pthread_create");
		pthread_join(thread, nullptr);
	}
}

void wait_for(pid_t child)
{
	int status = 0;

	if (child < 0)
		die("fork");
	if (waitpid(child, &status, 0) != child || status) {
		errno = ECHILD;
		die("a child");
	}
}

void fork_children()
{
	for (int i = 0; i < children; i++) {
		const pid_t child = fork();

		if (!child)
			_exit(0);
		wait_for(child);
	}
}

/** Memory for a copy of the counters; shared, so that a fork causes no page faults in it. */
void *copy_of_counters()
{
	static void *const copy = mmap(nullptr, counters_size, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (copy == MAP_FAILED)
		die("mmap");
	return copy;
}

void copy_words()
{
	const void *from = counters;
	void *to = copy_of_counters();
	std::size_t words = counters_size / 8;

	asm volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(words) : : "memory");
}

/** Copies by byte, as a fork from Linux 6.12 on: -icount counts eight times the instructions. */
void copy_bytes()
{
	const void *from = counters;
	void *to = copy_of_counters();
	std::size_t bytes = counters_size;

	asm volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(bytes) : : "memory");
}

template <void (*copy)()> void fork_and_copy()
{
	for (int i = 0; i < children; i++) {
		const pid_t child = fork();

		if (!child)
			_exit(0);
		copy();
		wait_for(child);
	}
}

constexpr char program[] = "/tmp/bench-busybox";

/** Copies a program without shared objects into memory, so that exec reads no file of the host. */
void copy_program()
{
	std::filesystem::copy_file("/bin/busybox", program,
				   std::filesystem::copy_options::overwrite_existing);
}

void execute()
{
	for (int i = 0; i < children; i++) {
		const pid_t child = vfork();

		if (!child) {
			execl(program, "busybox", "true", nullptr);
			_exit(127);
		}
		wait_for(child);
	}
}

template <long million_instructions> void burn_for()
{
	burn(million_instructions * 500'000);
}

/**
 * Nearly all of the time is spent in one system call.  A few ticks occur in
 * user mode, because a system-wide recording binds an address space at its first tick there.
 */
void stay_in_kernel()
{
	static std::array<char, 65536> bytes;

	burn(500'000);
	for (int i = 0; i < 250; i++) {
		if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
			die("getrandom");
	}
}

volatile char *pages;

/** Maps pages that are neither present nor huge. */
void map_pages()
{
	void *const memory = mmap(nullptr, fresh * 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, fresh * 4096, MADV_NOHUGEPAGE))
		die("mmap");
	pages = static_cast<volatile char *>(memory);
}

/** Reads each page for the first time: the zero page is mapped, nothing is allocated or cleared. */
void touch_pages()
{
	for (std::size_t i = 0; i < fresh; i++)
		static_cast<void>(pages[i * 4096]);
	if (madvise(const_cast<char *>(pages), fresh * 4096, MADV_DONTNEED))
		die("madvise");
}

void sleep_a_second()
{
	const timespec second = {1, 0};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &second, nullptr);
}

const std::map<std::string, Work> works = {
	{"samples", {nothing, burn_for<100>, 1, 9}},
	{"samples-64-places", {make_places<64>, burn_in_places<64>, 1, 9}},
	{"samples-1000-places", {make_places<1000>, burn_in_places<1000>, 1, 9}},
	{"samples-kernel", {nothing, stay_in_kernel, 1, 9}},
	{"samples-slow", {nothing, burn_for<600>, 1, 9}},
	{"switches", {nothing, ping_pong, 2UL * rounds, 3}},
	{"threads", {nothing, make_threads, threads, 3}},
	{"forks", {nothing, fork_children, children, 9}},
	{"forks-words", {nothing, fork_and_copy<copy_words>, children, 9}},
	{"forks-bytes", {nothing, fork_and_copy<copy_bytes>, children, 9}},
	{"execs", {copy_program, execute, children, 3}},
	{"faults", {map_pages, touch_pages, fresh, 21}},
	{"idle", {nothing, sleep_a_second, 1, 3}},
};

} // namespace

const Work &find_work(const std::string &name)
{
	const auto found = works.find(name);

	if (found == works.end()) {
		errno = EINVAL;
		die(name.c_str());
	}
	return found->second;
}

} // namespace bench
