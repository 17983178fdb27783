// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/tally.h"

namespace cli {
namespace {

/** True for memory that its process no longer has: only the tally refers to it. */
bool is_ended_memory(const std::shared_ptr<Object> &object)
{
	return object->source == Source::Anonymous && object.use_count() == 1;
}

} // namespace

size_t Tally::join_ended_memory(size_t most)
{
	size_t ended = 0;

	for (const auto &[object, buckets] : objects_)
		ended += is_ended_memory(object);
	if (ended <= most)
		return 0;
	if (!ended_) {
		ended_ = std::make_shared<Object>();
		ended_->name = "[anon]";
		ended_->source = Source::Anonymous;
	}

	Buckets &joined = objects_[ended_];

	return std::erase_if(objects_, [&](const auto &entry) {
		if (!is_ended_memory(entry.first))
			return false;
		for (const auto &[bucket, samples] : entry.second)
			joined[{0, bucket.owner, bucket.source}] += samples;
		return true;
	});
}

std::set<uint32_t> Tally::owners() const
{
	std::set<uint32_t> owners;

	for (const auto &[object, buckets] : objects_) {
		for (const auto &[bucket, samples] : buckets)
			owners.insert(bucket.owner);
	}
	for (const auto &[bucket, samples] : unknown_)
		owners.insert(bucket.owner);
	return owners;
}

std::shared_ptr<Object> Tally::busiest_of(const std::set<std::shared_ptr<Object>> &some) const
{
	std::shared_ptr<Object> busiest;
	uint64_t most = 0;

	for (const std::shared_ptr<Object> &object : some) {
		const uint64_t samples = total_of(object);

		if (!busiest || samples > most) {
			busiest = object;
			most = samples;
		}
	}
	return busiest;
}

} // namespace cli
