// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recorded.h  Runs of profil that record programs with perf's events.
 *
 * In the guest, the same command records with the module; these tests cover what is the same with
 * either source of samples.
 */
#pragma once

#include "tests/host/cli/need_perf.h"
#include "tests/support/recorded.h"

#include <csignal>
#include <filesystem>

namespace support {

/** True once a running profil has opened its events; before, it has one per CPU, for a buffer. */
inline bool has_attached(const Child &profil)
{
	const std::filesystem::path files = "/proc/" + std::to_string(profil.pid()) + "/fd";
	std::error_code error;
	long events = 0;

	for (std::filesystem::directory_iterator file(files, error), end; !error && file != end;
	     file.increment(error)) {
		if (read_symlink(file->path(), error) == "anon_inode:[perf_event]")
			events++;
	}
	return events > sysconf(_SC_NPROCESSORS_ONLN);
}

/** CPU time per sample at 999 Hz. */
constexpr uint64_t ns_per_sample = 1'001'001;

/** Wait until a running profil has had time for a number of samples of a process. */
inline bool samples_come(const Child &profil, pid_t of, unsigned samples)
{
	return soon([&] { return has_attached(profil); }) && process_runs_for(of, samples * ns_per_sample);
}

/** A process that computes until the end of the test. */
inline Child burner(const std::string &how = "plain")
{
	return start({program("cli_burn"), "1000000", how});
}

} // namespace support
