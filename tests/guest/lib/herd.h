// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/herd.h  Children to attach to. */
#pragma once

#include "tests/guest/lib/support.h"

#include <csignal>
#include <memory>
#include <unistd.h>
#include <vector>

namespace lib_test {

constexpr uint64_t ms = 1'000'000;

using Session = std::unique_ptr<profil_session, void (*)(profil_session *)>;

inline Session open_session()
{
	return {profil_session_open(), profil_session_close};
}

/** Children that each run a loop, with counters in this process and a target for each. */
class Herd {
public:
	Herd(const Loop &loop, size_t nr, uint64_t period = 5 * ms) : regions_(nr), specs_(nr), targets_(nr)
	{
		children_.reserve(nr);
		counters_ = static_cast<char *>(profil_counters_alloc(nr * page_size));
		for (size_t i = 0; i < nr; i++) {
			children_.emplace_back([&loop] {
				for (;;)
					loop.spin(1'000'000);
			});
			describe(loop, i, period);
		}
	}
	~Herd() { profil_counters_free(counters_, targets_.size() * page_size); }
	Herd(const Herd &) = delete;
	Herd &operator=(const Herd &) = delete;

	std::vector<profil_target> &targets() { return targets_; }
	profil_spec &spec(size_t i) { return specs_[i]; }

	/* End one child. */
	void end(size_t i)
	{
		kill(children_[i].pid(), SIGKILL);
		children_[i].reap();
	}

	/** The counts of one child's loop. */
	[[nodiscard]] uint64_t count(size_t i) const { return profil_counter_read(&regions_[i], 1); }

	/** Was only the loop's counter changed? */
	[[nodiscard]] bool only_loop(size_t i) const
	{
		for (size_t k = 0; k < regions_[i].bytes / regions_[i].width; k++)
			if (k != 1 && profil_counter_read(&regions_[i], k))
				return false;
		return true;
	}

private:
	static constexpr size_t page_size = 4096;

	void describe(const Loop &loop, size_t i, uint64_t period)
	{
		profil_region &region = regions_[i];
		profil_spec &spec = specs_[i];

		region.low = loop.pc() - 4;
		region.high = region.low + 16;
		region.offset = region.low;
		region.buffer = reinterpret_cast<uintptr_t>(counters_ + i * page_size);
		region.bytes = 16;
		region.scale = 0x4000;
		region.width = 4;
		spec.size = sizeof spec;
		spec.period = period;
		spec.regions = &region;
		spec.nr_regions = 1;
		targets_[i].pid = children_[i].pid();
		targets_[i].spec = &spec;
		targets_[i].error = -1;
	}

	std::vector<profil_region> regions_;
	std::vector<profil_spec> specs_;
	std::vector<profil_target> targets_;
	std::vector<guest::Child> children_;
	char *counters_;
};

/** Sleep until a condition holds, to give the children time. */
template <typename Condition> void sleep_until(Condition holds)
{
	while (!holds())
		usleep(10'000);
}

inline int lowest_free_fd()
{
	const int fd = dup(0);

	close(fd);
	return fd;
}

} // namespace lib_test
