// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/text_recorder.h  Records processes; the module finds their mappings. */
#pragma once

#include "cli/base/look_pace.h"
#include "cli/process/machine_time.h"
#include "cli/process/process.h"
#include "cli/recording/count_table.h"
#include "cli/recording/recorder.h"
#include "cli/recording/session.h"
#include "cli/recording/settings.h"
#include "cli/recording/text_table.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace cli {

/**
 * A recording by the module (PROFIL_RECORD) with its table of counts.
 *
 * Nothing has to be done for an exec, or for a library that is loaded.  The module wakes the
 * recorder when a process ends, but not when a thread ends, so threads are polled.
 */
class TextRecorder : public Recorder {
public:
	/** @param log must outlive this. */
	TextRecorder(Session session, const RecorderSettings &settings, RecorderLog &log)
		: session_(std::move(session)), settings_(settings), log_(log), texts_(session_)
	{
	}

	size_t attach(std::span<const pid_t> pids, bool young) override;
	bool attach_everybody(const Selection &selection) override;
	[[nodiscard]] std::vector<pollfd> descriptors() const override;
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const override;
	void work(Clock::time_point now) override;
	[[nodiscard]] bool idle() const override;
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
	[[nodiscard]] Outcome check_target(pid_t pid) const;
	bool join(pid_t pid, const std::string &name, const AttachError &error);
	AttachError begin(pid_t pid, uint32_t flags);
	AttachError begin_with(pid_t pid, uint32_t flags);
	[[nodiscard]] std::string why(const AttachError &error) const;
	int record_on(pid_t pid, profil_record &record, const char **step) const
	{
		return settings_.event ? profil_session_record_event(session_.get(), pid, &*settings_.event,
								     &record, step)
				       : profil_session_record(session_.get(), pid, &record, step);
	}
	[[nodiscard]] uint32_t flags() const;
	void check(Clock::time_point now);
	bool has_left(pid_t tid, const std::optional<ProgramStart> &start);
	void look_at_threads();
	void forget_ended(Clock::time_point now);
	[[nodiscard]] bool has_news() const;
	[[nodiscard]] bool may_rest(Clock::time_point now) const;
	[[nodiscard]] bool learns_of_ends() const;
	bool arm(uint32_t keys);
	void rest(Clock::time_point now);
	bool change_table();
	[[nodiscard]] bool give(const CountTable &table);
	void count(CountTable &table);
	void drain();
	[[nodiscard]] bool counts_kernel() const { return settings_.kernel != KernelTime::LeftOut; }
	[[nodiscard]] Accounting selected(const Accounting &all) const;
	void add_machine_time(Accounting &all) const;
	void complete(Recording &recording, const Accounting &accounting) const;
	/** Update the account of the event.  Once the event has ended, the last account stays. */
	const EventAccount &look_at_event() { return event_ = session_.event().value_or(event_); }

	Session session_;
	RecorderSettings settings_;
	RecorderLog &log_;
	TextTable texts_;
	std::unique_ptr<CountTable> table_;
	uint32_t profile_ = 0;
	std::set<pid_t> members_;
	std::map<pid_t, std::optional<ProgramStart>> starts_; /* each thread's program */
	bool follows_ = false;				      /* a followed process has not ended */
	bool others_ = false;				      /* only unfollowed processes run */
	Recording recording_;
	Accounting parted_;	    /* the sum of all parts taken */
	EventAccount event_;	    /* so far; other recordings may have sampled the event before */
	EventAccount event_parted_; /* the account before this part */
	LookPace pace_;
	bool armed_ = false; /* the module will wake us */
	bool rests_ = false; /* asleep until the module wakes us */
	Clock::time_point next_check_{};
	Clock::time_point next_change_{}; /* earliest next change of the table */
	Clock::time_point next_look_{};
	Clock::time_point next_forgetting_{};
	Clock::time_point next_news_{}; /* earliest next wake-up */
	uint64_t numbers_ = 0;		/* the most numbers that the recording can have */
	std::optional<MachineTime> began_;
	std::optional<MachineTime> ended_;
	bool everybody_ = false;
	bool over_ = false; /* the module has ended the recording */
};

} // namespace cli
