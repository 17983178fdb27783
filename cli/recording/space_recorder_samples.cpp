// SPDX-License-Identifier: GPL-2.0-or-later
// The part of SpaceRecorder that counts samples and accounts for every tick.
#include "cli/recording/space_recorder.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cli {
namespace {

/* Ended processes whose anonymous memory still has mappings of its own in the file. */
constexpr size_t most_ended = 1000;

} // namespace

/** Update the regions to the present mappings. */
void SpaceRecorder::scan(Target &target)
{
	if (!target.members.empty() && !target.members.contains(target.pid))
		target.pid = *target.members.begin();

	builder_.update(target, pinned());
	recording_.counter_bytes = std::max(recording_.counter_bytes, builder_.pool().bytes());
}

/** Count the PCs in known text; return the others. */
std::vector<uint64_t> SpaceRecorder::count_known(const Target &target, std::span<const uint64_t> pcs)
{
	std::vector<uint64_t> rest;

	for (const uint64_t pc : pcs) {
		if (const Piece *piece = target.coverage.find(pc))
			recording_.tally.add(piece->object,
					     {piece->link + (pc - piece->low), 0, target.owner}, 1);
		else
			rest.push_back(pc);
	}
	return rest;
}

/* Stored PCs were sampled in the old mappings, so they are looked up there before the scan. */
void SpaceRecorder::resolve(Target &target, Clock::time_point now, bool rescan)
{
	std::vector<uint64_t> pcs = count_known(target, target.raw.take());

	if (pcs.empty() && !rescan)
		return;
	scan(target);
	pcs = count_known(target, pcs);
	if (pcs.empty())
		return;
	if (const Target *child = adopt(target, pcs))
		pcs = count_known(*child, pcs);
	else
		target.patience = now + patience_interval;
	for (const uint64_t pc : pcs)
		recording_.tally.add_unknown(pc, target.owner);
}

Accounting SpaceRecorder::all_ticks() const
{
	Accounting sum = ended_;

	for (const auto &[profile, target] : targets_)
		sum.add(session_.status(profile));
	if (kernel_time_ == KernelTime::ByFunction)
		sum.counted += std::exchange(sum.kernel, 0);
	return sum;
}

/** Ticks in the kernel since the start, by owner. */
std::map<uint32_t, uint64_t> SpaceRecorder::all_kernel() const
{
	std::map<uint32_t, uint64_t> sum = ended_kernel_;

	for (const auto &[profile, target] : targets_)
		sum[target->owner] += session_.status(profile).kernel;
	return sum;
}

/** Ticks in the kernel that are in no part yet, by owner. */
std::map<uint32_t, uint64_t> SpaceRecorder::new_kernel() const
{
	std::map<uint32_t, uint64_t> fresh;

	if (kernel_time_ != KernelTime::ByFunction)
		return fresh;
	for (const auto &[owner, ticks] : all_kernel()) {
		const auto before = parted_kernel_.find(owner);

		if (const uint64_t more = ticks - (before == parted_kernel_.end() ? 0 : before->second))
			fresh[owner] = more;
	}
	return fresh;
}

/** Add ticks in the kernel without addresses: the profiles do not say where they came. */
void SpaceRecorder::add_kernel(Recording &recording) const
{
	for (const auto &[owner, ticks] : new_kernel())
		recording.tally.add(kernel_, {0, 0, owner}, ticks);
}

Accounting SpaceRecorder::accounting() const
{
	return all_ticks().since(parted_);
}

/** Release owners and objects of ended processes that have no samples. */
void SpaceRecorder::tidy()
{
	std::set<uint32_t> owners = recording_.tally.owners();

	for (const auto &[profile, target] : targets_)
		owners.insert(target->owner);
	for (const auto &[owner, ticks] : new_kernel())
		owners.insert(owner);
	std::erase_if(ended_kernel_, [&](const auto &one) { return !owners.contains(one.first); });
	std::erase_if(parted_kernel_, [&](const auto &one) { return !owners.contains(one.first); });
	builder_.owners().keep_only(owners);
	builder_.forget_unused();
	recording_.tally.join_ended_memory(most_ended);
}

/** Detach a profile and count the rest.  Read its status first, because detaching removes it. */
void SpaceRecorder::retire(uint32_t profile)
{
	const auto place = targets_.find(profile);
	const TargetPointer target = std::move(place->second);
	uint64_t stored = 0;

	targets_.erase(place);
	for (const pid_t pid : target->members)
		profile_of_.erase(pid);
	const profil_status status = session_.status(profile);

	ended_.add(status);
	ended_kernel_[target->owner] += status.kernel;
	profil_detach(session_.get(), profile, &stored);
	for (const uint64_t pc : count_known(*target, target->raw.take_rest(stored)))
		recording_.tally.add_unknown(pc, target->owner);
}

void SpaceRecorder::retire_ended()
{
	std::vector<uint32_t> ended;

	for (const auto &[profile, target] : targets_) {
		/* The status includes children whose fork event has not been read yet. */
		if (target->over || (target->members.empty() && !session_.status(profile).processes))
			ended.push_back(profile);
	}
	for (const uint32_t profile : ended)
		retire(profile);
}

/*
 * Make the accounting match the samples in the recording.  It can differ: some ticks
 * are counted between reading a profile's status and its counters, and stored PCs
 * that are not resolved yet are not in the tally.
 */
void SpaceRecorder::complete(Recording &recording, const Accounting &accounting) const
{
	const uint64_t samples = recording.tally.total();

	recording.owners = builder_.owners();
	recording.granularity = builder_.pool().granularity();
	recording.program = builder_.busiest_program(recording.tally);
	recording.missing = accounting.counted - std::min(samples, accounting.counted);
	recording.accounting = accounting;
	recording.accounting.ticks += samples - accounting.counted;
	recording.accounting.counted = samples;
}

/** Count all stored PCs, known or not: they belong to the recording up to now. */
void SpaceRecorder::count_raw()
{
	const Clock::time_point now = Clock::now();
	std::vector<uint32_t> profiles;

	work(now);
	/* resolve() may add targets. */
	for (const auto &[profile, target] : targets_)
		profiles.push_back(profile);
	for (const uint32_t profile : profiles) {
		if (targets_.at(profile)->raw.pending())
			resolve(*targets_.at(profile), now, false);
	}
}

Recording SpaceRecorder::snapshot()
{
	count_raw();

	const Accounting now = accounting();

	builder_.pool().drain(recording_.tally);

	Recording copy = recording_;

	add_kernel(copy);
	complete(copy, now);
	return copy;
}

Recording SpaceRecorder::take_part()
{
	Recording part = snapshot();

	parted_.add(part.accounting);
	recording_.tally = Tally();
	if (const auto rows = part.tally.objects().find(kernel_); rows != part.tally.objects().end()) {
		for (const auto &[bucket, ticks] : rows->second)
			parted_kernel_[bucket.owner] += ticks;
	}
	tidy();
	return part;
}

void SpaceRecorder::give_back(const Recording &part)
{
	recording_.tally.add(part.tally);
	builder_.owners().add(part.owners);
	parted_ = parted_.since(part.accounting);
}

Recording SpaceRecorder::finish()
{
	work(Clock::now());
	for (const auto &[profile, target] : targets_) {
		if (target->raw.pending())
			scan(*target);
	}
	while (!targets_.empty())
		retire(targets_.begin()->first);
	builder_.pool().drain(recording_.tally);
	add_kernel(recording_);
	complete(recording_, accounting());
	return std::move(recording_);
}

} // namespace cli
