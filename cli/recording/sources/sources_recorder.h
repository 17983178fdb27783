// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/sources/sources_recorder.h  Records several sources as one. */
#pragma once

#include "cli/recording/recorder.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cli {

/**
 * A recorder for each source, all of the same processes.
 *
 * The module counts each source separately.  This class joins the samples of all sources;
 * Bucket::source distinguishes them.
 */
class SourcesRecorder : public Recorder {
public:
	/**
	 * @param all at least two recorders: one for each source, in the order of the sources.
	 * @param log must outlive this.
	 */
	SourcesRecorder(std::vector<std::unique_ptr<Recorder>> all, RecorderLog &log)
		: all_(std::move(all)), log_(log)
	{
	}

	size_t attach(std::span<const pid_t> pids, bool young) override;
	bool attach_everybody(const Selection &selection) override;
	[[nodiscard]] std::vector<pollfd> descriptors() const override;
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const override;
	void work(Clock::time_point now) override;
	[[nodiscard]] bool idle() const override;
	[[nodiscard]] bool is_profiled(pid_t pid) const override { return all_.front()->is_profiled(pid); }
	[[nodiscard]] uint64_t processes() const override { return all_.front()->processes(); }
	/** The accounting of all sources together. */
	[[nodiscard]] Accounting accounting() const override;
	Recording snapshot() override;
	Recording take_part() override;
	void give_back(const Recording &part) override;
	Recording finish() override;

private:
	template <typename Take> Recording joined(Take take) const;

	std::vector<std::unique_ptr<Recorder>> all_;
	RecorderLog &log_;
	std::vector<Recording> returned_; /**< parts that could not be used */
};

} // namespace cli
