// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_signal.cpp  Methods that sample in a signal handler.
 *
 * signal: a POSIX timer of the process's CPU time, which Linux checks in each tick of
 * the scheduler, so at most HZ times a second; libc: profil(3), 100 Hz; gperftools:
 * CPUPROFILE_FREQUENCY, or 100 Hz.
 */
#include "tests/bench/bench.h"
#include "tests/bench/method.h"

#include <array>
#include <csignal>
#include <dlfcn.h>
#include <gperftools/profiler.h>
#include <numeric>
#include <ucontext.h>
#include <unistd.h>

namespace bench {

namespace {

void count_signal(int, siginfo_t *, void *context)
{
	const auto *const where = static_cast<ucontext_t *>(context);
	const auto index = (static_cast<std::uint64_t>(where->uc_mcontext.gregs[REG_RIP]) - text_low()) /
			   sizeof *counters;

	if (index < std::size(counters))
		__atomic_fetch_add(&counters[index], 1, __ATOMIC_RELAXED);
}

class Signal : public Method {
public:
	Signal(const Wish &wish) : before(counted())
	{
		struct sigaction action {};
		sigevent event{};
		itimerspec time{};

		action.sa_sigaction = count_signal;
		action.sa_flags = SA_SIGINFO | SA_RESTART;
		event.sigev_notify = SIGEV_SIGNAL;
		event.sigev_signo = SIGPROF;
		time.it_interval.tv_sec = static_cast<time_t>(wish.period / 1'000'000'000);
		time.it_interval.tv_nsec = static_cast<long>(wish.period % 1'000'000'000);
		time.it_value = time.it_interval;
		if (sigaction(SIGPROF, &action, nullptr) ||
		    timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) ||
		    timer_settime(timer, 0, &time, nullptr))
			die("timer");
	}
	~Signal() override { timer_delete(timer); }
	std::uint64_t stop() override { return counted() - before; }

private:
	std::uint64_t before;
	timer_t timer{};
};

/** libc's profil(), looked up in libc itself: libprofil has a function of the same name. */
class Libc : public Method {
public:
	Libc()
	{
		void *const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

		call = libc ? reinterpret_cast<Call *>(dlsym(libc, "profil")) : nullptr;
		if (!call || call(shorts.data(), sizeof shorts, text_low(), 0x8000))
			die("profil");
	}
	~Libc() override { call(nullptr, 0, 0, 0); }
	std::uint64_t stop() override
	{
		return std::accumulate(shorts.begin(), shorts.end(), std::uint64_t{0});
	}

private:
	using Call = int(unsigned short *, size_t, size_t, unsigned);
	Call *call = nullptr;
	std::array<unsigned short, text_covered / 4> shorts{};
};

class Gperftools : public Method {
public:
	Gperftools()
	{
		if (!ProfilerStart("/tmp/gperftools.prof"))
			die("ProfilerStart");
	}
	~Gperftools() override { ProfilerStop(); }
	std::uint64_t stop() override
	{
		ProfilerState state{};

		ProfilerFlush();
		ProfilerGetCurrentState(&state);
		return static_cast<std::uint64_t>(state.samples_gathered);
	}
};

} // namespace

std::unique_ptr<Method> make_signal(const std::string &name, const Wish &wish)
{
	if (name == "signal")
		return std::make_unique<Signal>(wish);
	if (name == "libc")
		return std::make_unique<Libc>();
	if (name == "gperftools")
		return std::make_unique<Gperftools>();
	return nullptr;
}

} // namespace bench
