// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/export/export.h"

#include "cli/profile/pprof.h"

#include <array>

namespace cli {
namespace {

constexpr std::array formats = {
	ExportFormat{"callgrind", "kcachegrind, qcachegrind, callgrind_annotate", false, false,
		     export_callgrind},
	ExportFormat{"csv", "spreadsheets, databases", false, false, export_csv},
	ExportFormat{"firefox", "profiler.firefox.com", false, false, export_firefox},
	ExportFormat{"folded", "flamegraph.pl, inferno-flamegraph, speedscope", false, false, export_folded},
	ExportFormat{"gmon", "gprof", true, true, nullptr},
	ExportFormat{"otlp", "OpenTelemetry's tools (experimental)", true, true, export_otlp},
	ExportFormat{"perf-script", "stackcollapse-perf.pl, profiler.firefox.com, speedscope", false, false,
		     export_perf_script},
	ExportFormat{"pprof", "go tool pprof, Grafana Pyroscope, speedscope", true, true, export_pprof},
	ExportFormat{"speedscope", "speedscope", false, false, export_speedscope},
};

} // namespace

Result<std::string> export_pprof(const Profile &profile)
{
	return encode_pprof(profile);
}

std::span<const ExportFormat> export_formats()
{
	return formats;
}

} // namespace cli
