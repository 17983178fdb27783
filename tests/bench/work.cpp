// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/work.h"

#include "tests/bench/bench.h"
#include "tests/bench/method.h"

#include <filesystem>
#include <map>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

[[gnu::noinline, gnu::aligned(64)]] void burn(long n)
{
	asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

namespace {

constexpr int rounds = 10'000; // of a ping-pong: two switches each
constexpr int threads = 1'000;
constexpr int children = 50;
constexpr int mappings = 400;

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

/** Two threads of one process pass a byte to and fro. */
void ping_pong()
{
	Pipes pipes{};
	if (pipe(pipes.there) || pipe(pipes.back))
		die("pipe");
	pthread_t thread{};
	if (pthread_create(&thread, nullptr, answer, &pipes))
		die("pthread_create");
	char byte = 0;
	for (int i = 0; i < rounds; i++)
		if (write(pipes.there[1], &byte, 1) != 1 || read(pipes.back[0], &byte, 1) != 1)
			die("pipe");
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

/** In memory that a fork leaves alone, so that no fault is in it. */
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

/** As Linux from 6.12 on does in a fork: what counts instructions counts eight times as many. */
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

/** Neighbours differ in what may be done to them, or they would be one. */
void make_mappings()
{
	for (int i = 0; i < mappings; i++) {
		void *const page =
			mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			die("mmap");
		*static_cast<volatile char *>(page) = 1;
		if (i % 2 && mprotect(page, 4096, PROT_READ))
			die("mprotect");
	}
}

constexpr char program[] = "/tmp/bench-busybox";

/** A static program, so that no shared objects are in it, in memory: not the host's file. */
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

const std::map<std::string, Work> works = {
	{"samples", {nothing, burn_for<100>, 1}},
	{"samples-slow", {nothing, burn_for<300>, 1}},
	{"switches", {nothing, ping_pong, 2UL * rounds}},
	{"threads", {nothing, make_threads, threads}},
	{"forks", {nothing, fork_children, children}},
	{"forks-words", {nothing, fork_and_copy<copy_words>, children}},
	{"forks-bytes", {nothing, fork_and_copy<copy_bytes>, children}},
	{"forks-400", {make_mappings, fork_children, children}},
	{"forks-words-400", {make_mappings, fork_and_copy<copy_words>, children}},
	{"forks-bytes-400", {make_mappings, fork_and_copy<copy_bytes>, children}},
	{"execs", {copy_program, execute, children}},
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
