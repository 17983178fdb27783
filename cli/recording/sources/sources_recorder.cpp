// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/sources/sources_recorder.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cli {
namespace {

/** Adds up recordings.  An object that is in several of them becomes one. */
class Sum {
public:
	/** @param source of the samples; those that were joined before keep their sources. */
	void add(Recording one, uint32_t source)
	{
		for (const auto &[object, buckets] : one.tally.objects()) {
			const std::shared_ptr<Object> &same = known(object);

			for (const auto &[bucket, samples] : buckets)
				sum_.tally.add(same, moved(bucket, one.owners, source), samples);
		}
		for (const auto &[bucket, samples] : one.tally.unknown())
			sum_.tally.add_unknown(moved(bucket, one.owners, source), samples);
		sum_.threads.add(one.threads);
		sum_.accounting.add(one.accounting);
		/* A part that was joined before has the events of all sources. */
		add_events(sum_.events, one.events, source);
		sum_.counter_bytes += one.counter_bytes;
		sum_.missing += one.missing;
		sum_.processes = std::max(sum_.processes, one.processes);
		sum_.slice_ms = std::max(sum_.slice_ms, one.slice_ms);
		if (sum_.targets.empty())
			sum_.targets = std::move(one.targets);
		if (!sum_.program && one.program)
			sum_.program = known(one.program);
	}

	Recording take() { return std::move(sum_); }

private:
	using Key = std::tuple<Source, std::string, std::string, pid_t>;

	const std::shared_ptr<Object> &known(const std::shared_ptr<Object> &object)
	{
		const Key key(object->source, object->name, object->build_id, object->pid);

		return objects_.try_emplace(key, object).first->second;
	}

	Bucket moved(Bucket bucket, const Owners &owners, uint32_t source)
	{
		const Owner *owner = owners.find(bucket.owner);

		bucket.owner = owner ? sum_.owners.number(*owner) : 0;
		if (!bucket.source)
			bucket.source = source;
		return bucket;
	}

	Recording sum_;
	std::map<Key, std::shared_ptr<Object>> objects_;
};

} // namespace

size_t SourcesRecorder::attach(std::span<const pid_t> pids, bool young)
{
	size_t most = 0;

	for (const auto &one : all_)
		most = std::max(most, one->attach(pids, young));
	return most;
}

bool SourcesRecorder::attach_everybody(const Selection &selection)
{
	bool any = false;

	for (const auto &one : all_) {
		const bool attached = one->attach_everybody(selection);

		/* The first recorder decides how processes are found. */
		if (!attached && !any)
			return false;
		if (!attached)
			log_.warn("one of the events is not recorded: at most four recordings of "
				  "all processes can run at a time (two without CAP_PERFMON)");
		any = true;
	}
	return any;
}

std::vector<pollfd> SourcesRecorder::descriptors() const
{
	std::vector<pollfd> every;

	for (const auto &one : all_) {
		const std::vector<pollfd> its = one->descriptors();

		every.insert(every.end(), its.begin(), its.end());
	}
	return every;
}

Clock::time_point SourcesRecorder::next_work(Clock::time_point now) const
{
	Clock::time_point next = all_.front()->next_work(now);

	for (const auto &one : all_)
		next = std::min(next, one->next_work(now));
	return next;
}

void SourcesRecorder::work(Clock::time_point now)
{
	for (const auto &one : all_)
		one->work(now);
}

bool SourcesRecorder::idle() const
{
	return std::all_of(all_.begin(), all_.end(), [](const auto &one) { return one->idle(); });
}

Accounting SourcesRecorder::accounting() const
{
	Accounting sum;

	for (const auto &one : all_)
		sum.add(one->accounting());
	for (const Recording &part : returned_)
		sum.add(part.accounting);
	return sum;
}

template <typename Take> Recording SourcesRecorder::joined(Take take) const
{
	Sum sum;
	uint32_t source = 0;

	for (const auto &one : all_)
		sum.add(take(*one), source++);
	for (const Recording &part : returned_)
		sum.add(part, 0);
	return sum.take();
}

Recording SourcesRecorder::snapshot()
{
	return joined([](Recorder &one) { return one.snapshot(); });
}

Recording SourcesRecorder::take_part()
{
	Recording part = joined([](Recorder &one) { return one.take_part(); });

	returned_.clear();
	return part;
}

void SourcesRecorder::give_back(const Recording &part)
{
	returned_.push_back(part);
}

Recording SourcesRecorder::finish()
{
	return joined([](Recorder &one) { return one.finish(); });
}

} // namespace cli
