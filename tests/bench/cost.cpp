// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What profiling costs, in executed instructions.
 *
 * Meant for a guest under -icount, where a virtual nanosecond is an executed
 * instruction.  Every figure is a difference between two runs of the same
 * work, with and without; the work is long enough that a run differs from the
 * next by less than the figure's last digit.
 *
 * Usage: cost samples|switches LABEL [PERIOD_NS]
 * LABEL none: nothing is profiled; floor: the module of that name ticks, it is
 * only waited for; profil: a self profile is on.
 * Prints: LABEL WORK NS SAMPLES, of one run
 */
#include "tests/bench/bench.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/profil.h>
#include <pthread.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using bench::die;
using bench::now;

namespace {

constexpr long iterations = 100'000'000; // of a loop of two instructions
constexpr int runs = 5;
constexpr int rounds = 20'000; // of a ping-pong: two switches each

/** The work of a sample: nothing that could meet the kernel. */
[[gnu::noinline]] void burn(long n)
{
	asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

/** A self profile over the whole program, 32-bit counters, one region. */
class SelfProfile {
public:
	explicit SelfProfile(std::uint64_t period)
		: fd(open("/dev/profil", O_RDWR | O_CLOEXEC)), counters(1 << 16)
	{
		const auto text = reinterpret_cast<std::uint64_t>(&burn) & ~std::uint64_t{0xfff};
		profil_region region{};
		region.low = region.offset = text;
		region.high = text + 0x2000;
		region.buffer = reinterpret_cast<std::uint64_t>(counters.data());
		region.bytes = 0x2000;
		region.scale = 0x10000;
		region.width = 4;
		region.post = 2;
		profil_start start{};
		start.size = sizeof start;
		start.period = period;
		start.regions = reinterpret_cast<std::uint64_t>(&region);
		start.nr_regions = 1;
		start.region_size = sizeof region;
		start.proof = -1;
		if (fd < 0 || ioctl(fd, PROFIL_START, &start))
			die("PROFIL_START");
	}
	SelfProfile(const SelfProfile &) = delete;
	SelfProfile &operator=(const SelfProfile &) = delete;
	~SelfProfile()
	{
		profil_stop stop{};
		stop.size = sizeof stop;
		if (ioctl(fd, PROFIL_STOP, &stop))
			die("PROFIL_STOP");
		close(fd);
	}

	profil_status status() const
	{
		profil_status status{};
		status.size = sizeof status;
		if (ioctl(fd, PROFIL_STATUS, &status))
			die("PROFIL_STATUS");
		return status;
	}

private:
	int fd;
	std::vector<std::uint32_t> counters;
};

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

/** The least of several runs: whatever else the guest did is not in it. */
std::uint64_t measure(const std::string &work)
{
	std::uint64_t least = UINT64_MAX;
	for (int i = 0; i < runs; i++) {
		const std::uint64_t start = now();
		if (work == "samples")
			burn(iterations);
		else
			ping_pong();
		least = std::min(least, now() - start);
	}
	return least;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 3) {
		std::fprintf(stderr, "usage: cost samples|switches none|floor|profil [PERIOD_NS]\n");
		return 2;
	}
	const std::string work = argv[1], label = argv[2];
	const std::uint64_t period = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1'000'000;
	std::uint64_t ticks = 0, ns = 0;

	if (label == "profil") {
		SelfProfile profile(period);
		const std::uint64_t before = profile.status().counted;
		ns = measure(work);
		ticks = (profile.status().counted - before) / runs;
	} else {
		ns = measure(work);
		ticks = label == "floor" ? ns / period : 0;
	}
	std::printf("%s %s %llu %llu\n", label.c_str(), work.c_str(), static_cast<unsigned long long>(ns),
		    static_cast<unsigned long long>(ticks));
	return 0;
}
