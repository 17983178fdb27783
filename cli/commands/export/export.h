// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/export/export.h
 * A profile in the formats of other tools.
 *
 * Each function returns the whole content of a file.  Its samples add up to those that
 * `profil report` shows.  Profiles from other tools keep their stacks if the format has stacks; in
 * profil's own profiles, a stack is one function, and the functions inlined in it.
 */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The largest file, in bytes, except for pprof and OTLP, which store each function only once. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr size_t export_bytes_max = size_t{16} << 20;
#else
inline constexpr size_t export_bytes_max = size_t{1} << 30;
#endif

/** Callgrind's format, version 1, with one event: Samples.  Positions are address and line. */
Result<std::string> export_callgrind(const Profile &profile);

/** RFC 4180: a header and a row for each address and process, most samples first. */
Result<std::string> export_csv(const Profile &profile);

/** The Firefox Profiler's processed profile, version 58: a thread for each process. */
Result<std::string> export_firefox(const Profile &profile);

/** Folded stacks, as FlameGraph's stackcollapse programs print them: "process;object;function N". */
Result<std::string> export_folded(const Profile &profile);

/** The output of `perf script`: for each sample, a record with its stack. */
Result<std::string> export_perf_script(const Profile &profile);

/** OpenTelemetry's ProfilesData: a resource for each process or program. */
Result<std::string> export_otlp(const Profile &profile);

/** pprof's protocol buffer, gzipped. */
Result<std::string> export_pprof(const Profile &profile);

/** Speedscope's file format: a sampled profile for each process. */
Result<std::string> export_speedscope(const Profile &profile);

/** A gmon.out file, for one object. */
struct GmonOut {
	std::string object; /**< its path */
	std::string name;   /**< the suffix of "gmon.out": empty for the program, or ".libc.so.6" */
	uint64_t samples = 0;
	std::string content;
};

/** gmon.out files, as gprof(1) reads them. */
struct GmonFiles {
	std::vector<GmonOut> files; /**< the program, even without samples, then objects with samples */
	uint64_t elsewhere = 0;	    /**< samples outside all objects */
};

/** A gmon.out file for each object; only the leaf of a stack counts. */
Result<GmonFiles> export_gmon(const Profile &profile);

/** A format and its name. */
struct ExportFormat {
	std::string_view name;
	std::string_view tools; /**< the tools that open it */
	bool binary = false;
	bool keeps_names = false; /**< names are never shortened */
	Result<std::string> (*write)(const Profile &profile) =
		nullptr; /**< NULL: several files, by export_gmon() */
};

/** All formats. */
std::span<const ExportFormat> export_formats();

} // namespace cli
