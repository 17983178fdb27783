// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/record/sliced_recorder.h  Divides samples into slices of time. */
#pragma once

#include "cli/recording/recorder.h"
#include "cli/recording/recording_run.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace cli {

/**
 * A recorder that divides samples into slices of time: each slice has its own owners, see
 * Owner::slice.
 *
 * Another recorder does the work; at the end of each slice, this one takes a part from it.
 */
class SlicedRecorder : public Recorder {
public:
	/** @param length the length of a slice, at least a millisecond. */
	SlicedRecorder(std::unique_ptr<Recorder> recorder, std::chrono::milliseconds length)
		: recorder_(std::move(recorder)), length_(length)
	{
	}

	size_t attach(std::span<const pid_t> pids, bool young) override;
	bool attach_everybody(const Selection &selection) override;
	[[nodiscard]] std::vector<pollfd> descriptors() const override { return recorder_->descriptors(); }
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const override;
	void work(Clock::time_point now) override;
	[[nodiscard]] bool idle() const override { return recorder_->idle(); }
	[[nodiscard]] bool is_profiled(pid_t pid) const override { return recorder_->is_profiled(pid); }
	[[nodiscard]] uint64_t processes() const override { return recorder_->processes(); }
	[[nodiscard]] Accounting accounting() const override;
	Recording snapshot() override;
	Recording take_part() override;
	void give_back(const Recording &part) override;
	Recording finish() override;

private:
	[[nodiscard]] Clock::time_point end_of_slice() const { return start_ + (slice_ + 1) * length_; }
	[[nodiscard]] int64_t slice_at(Clock::time_point time) const;
	void begin();
	void add_slice(Recording &sum, const Recording &slice);
	void complete(Recording &sum) const;

	std::unique_ptr<Recorder> recorder_;
	std::chrono::milliseconds length_;
	bool begun_ = false;
	Clock::time_point start_ = Clock::now();
	Clock::time_point last_start_{}; /* start of the part that was taken last */
	int64_t slice_ = 0;		 /* number of the current slice, counted from start_ */
	Owners owners_;			 /* the owners of all slices */
	Recording past_;		 /* the samples of the slices that are over */
};

/** Divides recordings into slices of @p seconds; without a value, leaves them whole. */
RecorderWrap in_slices(std::optional<double> seconds);

} // namespace cli
