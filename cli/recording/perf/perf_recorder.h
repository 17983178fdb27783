// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/perf_recorder.h  Records with perf's events, without the module. */
#pragma once

#include "cli/objects/kernel_objects.h"
#include "cli/process/machine_time.h"
#include "cli/recording/perf/events.h"
#include "cli/recording/perf/processes.h"
#include "cli/recording/perf/settings.h"
#include "cli/recording/recorder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace cli {

/**
 * A recording with perf_event_open(2).
 *
 * perf writes a record for each sample into a ring.  Each look at the rings adds the samples up and
 * keeps none of them.  Mappings, programs and processes are learnt from records as well.
 */
class PerfRecorder : public Recorder {
public:
	/** @param log must outlive the recorder.  @return an error if there is no room for the rings. */
	static Result<std::unique_ptr<Recorder>> create(PerfSettings settings, RecorderLog &log);

	size_t attach(std::span<const pid_t> pids, bool young) override;
	bool attach_everybody(const Selection &selection) override;
	[[nodiscard]] std::vector<pollfd> descriptors() const override;
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const override;
	void work(Clock::time_point now) override;
	[[nodiscard]] bool idle() const override { return events_.empty(); }
	[[nodiscard]] bool is_profiled(pid_t pid) const override
	{
		return everybody_ || members_.contains(pid);
	}
	[[nodiscard]] uint64_t processes() const override { return recording_.processes; }
	[[nodiscard]] Accounting accounting() const override;
	Recording snapshot() override;
	Recording take_part() override;
	void give_back(const Recording &part) override;
	Recording finish() override;

private:
	PerfRecorder(PerfSettings settings, RecorderLog &log)
		: settings_(std::move(settings)), log_(log), events_(settings_)
	{
	}

	int add(pid_t pid);
	[[nodiscard]] uint64_t urgent() const;
	void read(uint64_t until);
	void take(const PerfRecord &record);
	void count(const PerfSample &sample, uint16_t misc);
	void add_place(const PerfSample &sample, uint16_t misc, PerfProcesses::Process *process);
	void note_fork(const PerfRecord &record);
	void note_exit(const PerfRecord &record);
	void note_throttling(const PerfRecord &record, bool stopped);
	void count_threads();
	void complete(Recording &recording, const Accounting &accounting) const;
	[[nodiscard]] std::vector<EventAccount> event_accounts() const;
	void warn_of_hidden_kernel();

	PerfSettings settings_;
	RecorderLog &log_;
	PerfEvents events_;
	PerfProcesses processes_;
	KernelObjects kernel_;
	Recording recording_;
	std::set<pid_t> members_; /* attached, or with inherited events; empty if everybody_ */
	uint64_t ticks_ = 0;	  /* samples so far, of matching processes */
	uint64_t changes_ = 0;	  /* records so far that are not samples */
	uint64_t lost_ = 0;	  /* records that found no room in a ring */
	uint64_t lost_late_ = 0;  /* ticks of the clock while perf had stopped it */
	uint64_t unowned_ = 0;	  /* samples whose process is not known; only with a selection */
	std::unordered_map<uint64_t, uint64_t> stopped_; /* events that perf has stopped, and when */
	std::vector<EventAccount> throttled_;		 /* by source */
	std::map<std::pair<pid_t, uint32_t>, uint64_t>
		threads_;   /* samples that are not in the recording yet */
	Accounting parted_; /* the sum of all parts taken */
	std::vector<EventAccount> events_parted_;
	std::optional<MachineTime> began_;
	std::optional<MachineTime> ended_;
	std::chrono::milliseconds interval_{0};
	Clock::time_point next_read_{};
	Clock::time_point next_look_{};
	bool everybody_ = false;
	bool warned_ = false;
};

} // namespace cli
