// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/sliced_recorder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cli {

size_t SlicedRecorder::attach(std::span<const pid_t> pids, bool young)
{
	const size_t attached = recorder_->attach(pids, young);

	if (attached)
		begin();
	return attached;
}

bool SlicedRecorder::attach_everybody(const Selection &selection)
{
	const bool attached = recorder_->attach_everybody(selection);

	if (attached)
		begin();
	return attached;
}

/** Begin the first slice at the first attach, because preparing may have taken seconds. */
void SlicedRecorder::begin()
{
	if (!std::exchange(begun_, true))
		start_ = Clock::now();
}

Clock::time_point SlicedRecorder::next_work(Clock::time_point now) const
{
	return std::min(recorder_->next_work(now), end_of_slice());
}

void SlicedRecorder::work(Clock::time_point now)
{
	recorder_->work(now);
	if (now < end_of_slice())
		return;
	add_slice(past_, recorder_->take_part());
	/* If this call is late, the slice just added has the samples of the missed slices. */
	slice_ = slice_at(now);
}

int64_t SlicedRecorder::slice_at(Clock::time_point time) const
{
	return std::chrono::duration_cast<std::chrono::milliseconds>(time - start_) / length_;
}

/** Add the samples of @p slice to @p sum, under owners that have the start of the current slice. */
void SlicedRecorder::add_slice(Recording &sum, const Recording &slice)
{
	const int64_t begin = slice_ * length_.count();
	std::map<uint32_t, uint32_t> numbers;

	for (const uint32_t number : slice.tally.owners()) {
		const Owner *const owner = slice.owners.find(number);
		Owner sliced = owner ? *owner : Owner();

		sliced.slice = begin;
		numbers[number] = owners_.number(sliced);
	}
	for (const auto &[object, buckets] : slice.tally.objects()) {
		for (const auto &[bucket, samples] : buckets)
			sum.tally.add(object, {bucket.address, numbers[bucket.owner], bucket.source},
				      samples);
	}
	for (const auto &[bucket, samples] : slice.tally.unknown())
		sum.tally.add_unknown({bucket.address, numbers[bucket.owner], bucket.source}, samples);
	if (!sum.program || slice.tally.total_of(slice.program) > sum.tally.total_of(sum.program))
		sum.program = slice.program;
	sum.threads.add(slice.threads);
	sum.accounting.add(slice.accounting);
	sum.counter_bytes = std::max(sum.counter_bytes, slice.counter_bytes);
	sum.targets = slice.targets;
	sum.processes = slice.processes;
	sum.missing += slice.missing;
	sum.by_perf = slice.by_perf;
	add_events(sum.events, slice.events);
}

void SlicedRecorder::complete(Recording &sum) const
{
	sum.owners = owners_;
	sum.owners.keep_only(sum.tally.owners());
	sum.slice_ms = static_cast<uint64_t>(length_.count());
}

Accounting SlicedRecorder::accounting() const
{
	Accounting all = past_.accounting;

	all.add(recorder_->accounting());
	return all;
}

Recording SlicedRecorder::snapshot()
{
	Recording sum = past_;

	add_slice(sum, recorder_->snapshot());
	complete(sum);
	return sum;
}

Recording SlicedRecorder::take_part()
{
	Recording part = std::exchange(past_, {});

	add_slice(part, recorder_->take_part());
	complete(part);
	last_start_ = std::exchange(start_, Clock::now());
	slice_ = 0;
	return part;
}

/* Number slices from the start of @p part again, so that later slices follow those of @p part. */
void SlicedRecorder::give_back(const Recording &part)
{
	start_ = last_start_;
	slice_ = slice_at(Clock::now());
	past_.tally.add(part.tally);
	past_.threads.add(part.threads);
	past_.accounting.add(part.accounting);
	past_.missing += part.missing;
	add_events(past_.events, part.events);
	owners_.add(part.owners);
}

Recording SlicedRecorder::finish()
{
	Recording sum = std::exchange(past_, {});

	add_slice(sum, recorder_->finish());
	complete(sum);
	return sum;
}

RecorderWrap in_slices(std::optional<double> seconds)
{
	constexpr double ms_per_second = 1e3;

	if (!seconds)
		return {};

	const std::chrono::milliseconds length(std::llround(*seconds * ms_per_second));

	return [length](std::unique_ptr<Recorder> recorder) {
		return std::make_unique<SlicedRecorder>(std::move(recorder), length);
	};
}

} // namespace cli
