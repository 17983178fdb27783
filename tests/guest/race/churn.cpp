// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/churn.cpp  Processes that make very many threads and children while they
 * profile themselves and another process records them.  Nothing accumulates, and both profiles have
 * the same total.
 *
 * `make churn` runs these tests at full length, on a CPU where a nanosecond is one instruction, so
 * that the expected number of ticks is known, too.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/clock.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
constexpr size_t buffer = 65536;
const uintptr_t text = Burner::usual;
constexpr size_t block = 4000; /* instructions, all in the region */

/**
 * The peak numbers of the module's images, profiles and pinned pages, and of slab memory in KiB.
 */
struct Held {
	uint64_t images = 0, profiles = 0, pages = 0, slab = 0;

	void look()
	{
		images = std::max(images, module_stat("images"));
		profiles = std::max(profiles, module_stat("profiles"));
		pages = std::max(pages, module_stat("pinned_pages"));
		slab = std::max(slab, slab_kib());
	}
	static uint64_t slab_kib()
	{
		std::istringstream lines(read_file("/proc/meminfo"));
		std::string name, rest;
		uint64_t number;

		while (lines >> name >> number && std::getline(lines, rest))
			if (name == "SUnreclaim:")
				return number;
		throw std::runtime_error("no SUnreclaim in /proc/meminfo");
	}
};

/** The CPU time of all tasks in ns; nullopt if the kernel does not report it. */
std::optional<uint64_t> run_by_all()
{
	std::ifstream lines("/proc/schedstat");
	std::string line, name;
	uint64_t unused, ns, sum = 0;

	if (!lines)
		return {};
	while (std::getline(lines, line)) {
		if (!line.starts_with("cpu"))
			continue;
		std::istringstream words(line);
		words >> name;
		for (int i = 0; i < 6; i++)
			words >> unused;
		need_that(static_cast<bool>(words >> ns), "/proc/schedstat has times");
		sum += ns;
	}
	return sum;
}

profil_start followed(const profil_region &region)
{
	auto how = describe(region);

	how.flags = PROFIL_FOLLOW;
	return how;
}

/** A process that works while it profiles itself and this process records it. */
struct Churn {
	struct Result {
		uint64_t counted;	     /* by the process and its children */
		uint64_t ns;		     /* CPU time of the process and its children */
		std::optional<uint64_t> all; /* CPU time of all tasks in that time */
	};

	Recording recording;
	Burner burner;
	/* Shared memory, which is one text for all processes. */
	const Memory code{reinterpret_cast<void *>(text), buffer, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1};
	Memory children{page, MAP_SHARED};
	Gate go;
	Held held;
	uint64_t slab_before = Held::slab_kib();
	profil_status status;

	Result run(const std::function<void(const Device &, const Memory &)> &work)
	{
		await_no_clock();
		burner.plant_block(text, block);
		ChildOf<Result> child([&] {
			const Memory own(buffer);
			const Device self;

			go.wait();
			self.start(followed(each_address(text, text + buffer / 8, own.at(), 8)));
			const auto begin = used_ns();
			const auto all = run_by_all();
			work(self, own);
			const Result result = {sum_counters<uint64_t>(own), used_ns() - begin,
					       all ? std::optional(run_by_all().value() - *all)
						   : std::nullopt};
			need_that(self.status().counted == result.counted, "its counters add up");
			self.stop();
			return result;
		});
		recording.begin(child.pid());
		std::atomic<bool> done = false;
		std::thread watcher([&] {
			while (!done) {
				held.look();
				usleep(20'000);
			}
		});
		go.open();
		const auto result = child.result();
		done = true;
		watcher.join();
		recording.finish();
		status = recording.status();
		CHECK(recording.sum() == status.counted + status.kernel);
		return result;
	}

	/**
	 * The recording has the same ticks as the self profile.  They are in the block, except that
	 * a tick may be in an unknown text: one that came while a thread that was changing the
	 * mappings waited for a CPU of the host.
	 */
	void check_block(uint64_t counted) const
	{
		const auto in_block = recording.sum([&](const Row &row) {
			return row.text.kind == PROFIL_KIND_FILE && row.text.place == "/dev/zero (deleted)" &&
			       row.offset < buffer / 8;
		});

		CHECK(in_block <= counted);
		CHECK(counted <= in_block + recording.of_kind(PROFIL_KIND_UNKNOWN));
	}

	/**
	 * Where a nanosecond is one instruction, all CPU time is in the ticks or reported as lost.
	 * result.ns is not an upper bound: for an ended thread it includes only the time that the
	 * scheduler had accounted by then.
	 */
	void check_time(const Result &result) const
	{
		const double time = static_cast<double>(result.ns) / period_10khz;

		if (result.all)
			CHECK(status.ticks < static_cast<double>(*result.all) / period_10khz + 3);
		CHECK(time < status.ticks + 3 + time / 200);
	}
	/** The ticks of a clock with a random grid have a variance of at most their expected value. */
	void check_ticks(const Result &result) const
	{
		const double expected = static_cast<double>(result.ns) / period_10khz;
		const double difference = static_cast<double>(status.ticks) - expected;

		CHECK(std::abs(difference) < 3 + expected / 200 + 4 * std::sqrt(expected));
	}
	/** Allows for some slack, and for the freed memory that KASAN keeps. */
	void check_slab() const { CHECK(held.slab < slab_before + 4096 * slowness()); }

	void tell(const char *what, unsigned number, const Result &result) const
	{
		fprintf(stderr,
			"%u %s: %llu ticks, %llu counted, %llu late, %.0f by CPU time, %.0f by all; at most "
			"%llu profiles, %llu images, %llu pages; slab %llu KiB before, %llu KiB at most\n",
			number, what, static_cast<unsigned long long>(status.ticks),
			static_cast<unsigned long long>(status.counted),
			static_cast<unsigned long long>(status.lost_late),
			static_cast<double>(result.ns) / period_10khz,
			static_cast<double>(result.all.value_or(0)) / period_10khz,
			static_cast<unsigned long long>(held.profiles),
			static_cast<unsigned long long>(held.images),
			static_cast<unsigned long long>(held.pages),
			static_cast<unsigned long long>(slab_before),
			static_cast<unsigned long long>(held.slab));
	}

private:
	static uint64_t used_ns()
	{
		timeval user, system;
		rusage children_used;

		need(getrusage(RUSAGE_CHILDREN, &children_used), "getrusage");
		user = children_used.ru_utime;
		system = children_used.ru_stime;
		return process_ns() +
		       1000 * (1'000'000ULL * (user.tv_sec + system.tv_sec) + user.tv_usec + system.tv_usec);
	}
};

void work_of_a_thread()
{
	Burner::spin(text, 10);
}

/**
 * Runs in a child, and adds its count to the total.  A short-lived child may have no tick; the last
 * child runs until it has one.
 */
[[noreturn]] void work_of_a_child(const Device &self, const Memory &own, const Memory &sum, bool last)
{
	const auto inherited = sum_counters<uint64_t>(own) - self.status().counted;

	do
		Burner::spin(text, 10);
	while (last && !self.status().counted);
	const auto status = self.status();
	const bool same = status.counted == sum_counters<uint64_t>(own) - inherited;
	__atomic_fetch_add(sum.at<uint64_t>(), status.counted, __ATOMIC_RELAXED);
	_exit(status.state == PROFIL_STATE_RUNNING && same ? 0 : 1);
}

Churn::Result churn_threads(Churn &churn)
{
	const unsigned threads = rounds(500);
	const auto result = churn.run([&](const Device &, const Memory &) {
		for (unsigned i = 0; i < threads; i += 4) {
			std::vector<std::thread> some;
			for (int k = 0; k < 4; k++)
				some.emplace_back(work_of_a_thread);
			for (auto &one : some)
				one.join();
		}
	});

	churn.tell("threads", threads, result);
	churn.check_block(result.counted);
	CHECK(churn.held.profiles == 2);
	CHECK(churn.held.images <= 2);
	/* The recording's table, and the hash chains of its numbers. */
	const auto of_recording = churn.recording.table().bytes() / page + 8;
	CHECK(churn.held.pages > of_recording);
	/* Only pages with counters of instructions that had a tick are pinned. */
	CHECK(churn.held.pages <= of_recording + buffer / page);
	CHECK(churn.status.forks_lost == 0);
	churn.check_slab();
	return result;
}

Churn::Result churn_children(Churn &churn)
{
	const unsigned children = rounds(100);
	const auto lost = module_stat("forks_lost");
	constexpr int at_once = 4;
	const auto result = churn.run([&](const Device &self, const Memory &own) {
		for (unsigned i = 0; i < children; i += at_once) {
			int status;

			for (int k = 0; k < at_once; k++)
				if (!need(fork(), "fork"))
					work_of_a_child(self, own, churn.children, i + k == children - 1);
			for (int k = 0; k < at_once; k++) {
				need(wait(&status), "wait");
				need_that(status == 0, "each child is profiled and its counters add up");
			}
		}
	});
	const auto of_children = counter<uint64_t>(churn.children);

	churn.tell("children", children, result);
	CHECK(of_children > 0);
	churn.check_block(of_children + result.counted);
	CHECK(churn.status.forks_lost == 0);
	CHECK(module_stat("forks_lost") == lost);
	CHECK(module_stat("pool_empty") == 0);
	churn.check_slab();
	return result;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a process that keeps creating threads holds a bounded amount of memory", "[churn]")
{
	Churn churn;

	churn_threads(churn);
}

TEST_CASE_METHOD(AtRest, "a process that keeps forking counts what its children count", "[churn]")
{
	Churn churn;

	churn_children(churn);
}

/**
 * Runs the work first with the perf clock, which ticks at even intervals, then with the default
 * clock.
 */
static void ticked_for_cpu_time(Churn::Result (*work)(Churn &))
{
	{
		const Clock perf("perf");
		Churn churn;

		churn.check_time(work(churn));
	}
	Churn churn;

	churn.check_ticks(work(churn));
}

TEST_CASE_METHOD(AtRest, "threads that come and go all the time get ticks for their CPU time",
		 "[churn][icount]")
{
	ticked_for_cpu_time(churn_threads);
}

TEST_CASE_METHOD(AtRest, "children that come and go all the time get ticks for their CPU time",
		 "[churn][icount]")
{
	ticked_for_cpu_time(churn_children);
}
