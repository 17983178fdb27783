// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/method.h"

#include "tests/bench/bench.h"
#include "tests/bench/work.h"

#include <numeric>
#include <string_view>

namespace bench {

alignas(4096) std::uint32_t counters[counters_size / sizeof(std::uint32_t)];

std::uint64_t text_low()
{
	return reinterpret_cast<std::uint64_t>(&burn) & ~std::uint64_t{0xfff};
}

std::uint64_t counted()
{
	return std::accumulate(std::begin(counters), std::end(counters), std::uint64_t{0});
}

std::uint64_t Method::at(std::uint64_t pc) const
{
	return counters[(pc - text_low()) / sizeof *counters];
}

namespace {

/**
 * No profile.  The module "floor" may tick at the same time; it counts nothing, so there are no
 * samples.
 */
class Nothing : public Method {
public:
	std::uint64_t stop() override { return 0; }
};

} // namespace

std::unique_ptr<Method> make_method(const std::string &name, const Wish &wish)
{
	constexpr std::string_view faults = "-faults";

	if (name.ends_with(faults))
		return make_method(name.substr(0, name.size() - faults.size()),
				   {wish.period, wish.regions, PERF_COUNT_SW_PAGE_FAULTS});
	if (name == "none" || name == "floor")
		return std::make_unique<Nothing>();
	for (const auto make : {make_profil, make_record, make_perf, make_bpf, make_signal})
		if (auto method = make(name, wish))
			return method;
	errno = EINVAL;
	die(name.c_str());
}

} // namespace bench
