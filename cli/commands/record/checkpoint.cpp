// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/checkpoint.h"

#include "cli/recording/recording_run.h"

#include <algorithm>
#include <utility>

namespace cli {
namespace {

constexpr char suffix[] = ".part";
/* The pause after a checkpoint, as a multiple of the time that the checkpoint took. */
constexpr double pause_factor = 100;

} // namespace

void Checkpoints::begin()
{
	last_ = Clock::now();
	pause_ = interval_;
}

double Checkpoints::left() const
{
	return pause_ - seconds_since(last_);
}

Outcome Checkpoints::write(const std::function<Result<const OutputFile *>()> &output,
			   const std::function<std::string()> &content)
{
	const Clock::time_point start = Clock::now();
	const Result<const OutputFile *> file = output();
	Outcome written = Done();

	if (!file)
		written = file.error();
	else if ((*file)->is_regular())
		written = replace(**file, content());
	pause_ = std::max(interval_, seconds_since(start) * pause_factor);
	last_ = Clock::now();
	/* A disk may stay full for a long time: one message is enough. */
	if (std::exchange(failed_, !written) && !written)
		return Done();
	return written;
}

Outcome Checkpoints::replace(const OutputFile &output, std::string_view content)
{
	if (part_)
		return part_->write(content, OutputFile::Before::Replaced, OutputFile::Sync::Later);

	Result<OutputFile> part = output.beside(suffix);

	if (!part)
		return part.error();
	if (Outcome written = part->write(content, OutputFile::Before::Kept, OutputFile::Sync::Later);
	    !written)
		return written;
	part_ = *std::move(part);
	return Done();
}

Outcome Checkpoints::remove()
{
	const std::optional<OutputFile> part = std::exchange(part_, std::nullopt);

	return part ? part->remove() : Outcome(Done());
}

} // namespace cli
