// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/perf/backend.h"

#include "cli/base/numbers.h"
#include "cli/recording/perf/access.h"
#include "cli/recording/session.h"

#include <fmt/format.h>
#include <limits>

namespace cli {

Result<Backend> choose_backend(const TargetOptions &options)
{
	Backend backend = {true, {}, "--backend says so"};

	if (options.backend != WantedBackend::Perf) {
		const Result<profil_info> info = module_info();

		if (info)
			return Backend{false, *info, ""};
		if (options.backend == WantedBackend::Module)
			return info.error();
		backend.why = info.error().text;
	}
	if (const Outcome perf = check_perf(); !perf)
		return Error{options.backend == WantedBackend::Perf
				     ? perf.error().text
				     : fmt::format("{}; and perf events cannot take its place: {}",
						   backend.why, perf.error().text)};
	if (options.kernel == KernelTime::AtCall)
		return Error{fmt::format("--kernel-at call needs the module: {}", backend.why)};
	backend.info.period_min = shortest_perf_period();
	backend.info.pages_max = std::numeric_limits<uint64_t>::max();
	return backend;
}

Result<uint64_t> choose_period(const TargetOptions &options, const Backend &backend)
{
	return choose_period(options, backend.info,
			     backend.perf ? "kernel.perf_event_max_sample_rate raises the limit"
					  : module_raises_limit);
}

std::string backend_line(const Backend &backend, const std::optional<TickCost> &cost)
{
	return fmt::format("recording with perf events{}: {}",
			   cost ? fmt::format(", about {:.1f} us a sample", cost->ns / 1e3) : "",
			   backend.why);
}

} // namespace cli
