// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_perf.cpp  perf record, with all its work until the samples are in its
 * file. */
#include "tests/bench/method.h"
#include "tests/bench/perf_record.h"

#include <unistd.h>

namespace bench {

namespace {

class Perf : public Method {
public:
	Perf(pid_t target, const Wish &wish)
		: record(target, wish.period, is_event(wish) ? "page-faults:u" : nullptr)
	{
	}
	void drain() override { record.drain(); }
	std::uint64_t stop() override
	{
		record.stop();
		return record.samples();
	}

private:
	PerfRecord record;
};

} // namespace

std::unique_ptr<Method> make_perf(const std::string &name, const Wish &wish)
{
	if (name == "perf")
		return std::make_unique<Perf>(getpid(), wish);
	return name == "perf-all" ? std::make_unique<Perf>(PerfRecord::everybody, wish) : nullptr;
}

} // namespace bench
