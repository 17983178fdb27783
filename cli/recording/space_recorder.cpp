// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/space_recorder.h"

#include "cli/process/maps.h"
#include "cli/process/process.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace cli {
namespace {

/* New mappings get regions within this time. */
constexpr std::chrono::milliseconds look_interval{100};
/* How often the leftovers of ended processes are removed. */
constexpr std::chrono::minutes tidy_interval{1};
/* A file names only this many of the attached processes. */
constexpr size_t most_named = 100;

/**
 * Does the thread run another program?  A child of vfork(2) leaves the parent's memory alive when it
 * calls exec, so the module does not end the profile, but waits for the thread to return.
 */
bool runs_another_program(const Target &target)
{
	return target.start && program_start(target.pid) != target.start;
}

/** Why a profile has ended, or nullptr. */
const char *ending(uint32_t state)
{
	switch (state) {
	case PROFIL_STATE_LIMIT: return "a counter is at its limit";
	case PROFIL_STATE_FULL: return "its array of samples is full";
	case PROFIL_STATE_FAULT: return "the memory of its counters went away";
	case PROFIL_STATE_STOPPED: return "an administrator has ended all profiles";
	default: return nullptr;
	}
}

} // namespace

SpaceRecorder::SpaceRecorder(Session session, RecorderSettings settings, RecorderLog &log)
	: session_(std::move(session)), log_(log), per_process_(settings.per_process),
	  threads_(settings.threads), kernel_time_(settings.kernel), builder_(session_, settings),
	  drain_interval_(
		  drain_interval(settings.period, static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF)))),
	  next_drain_(Clock::now() + drain_interval_), next_tidying_(Clock::now() + tidy_interval)
{
}

uint64_t SpaceRecorder::pinned() const
{
	uint64_t bytes = 0;

	for (const auto &[profile, target] : targets_)
		bytes += target->pinned();
	return bytes;
}

void SpaceRecorder::install(TargetPointer target)
{
	leave(target->pid);
	profile_of_[target->pid] = target->profile;
	targets_[target->profile] = std::move(target);
	recording_.counter_bytes = std::max(recording_.counter_bytes, builder_.pool().bytes());
}

size_t SpaceRecorder::attach(std::span<const pid_t> pids, bool young)
{
	std::vector<TargetPointer> targets;
	size_t attached = 0;
	/* First reserve the minimum for every process, then memory for finer counters. */
	uint64_t reserved = pinned() + pids.size() * RawSamples::capacity * sizeof(uint64_t);

	for (const pid_t pid : pids) {
		if (profile_of_.contains(pid))
			continue;
		if (const Outcome checked = threads_ ? check_thread(pid) : check_process(pid); checked) {
			targets.push_back(builder_.prepare(pid, young, reserved));
			reserved += targets.back()->coverage.bytes();
		} else {
			log_.refused(pid, process_name(pid), checked.error().text);
		}
	}

	const std::vector<AttachError> errors = builder_.attach(targets, pinned());

	for (size_t i = 0; i < targets.size(); i++) {
		const std::string name = process_name(targets[i]->pid);

		if (errors[i].error) {
			log_.refused(targets[i]->pid, name, explain(errors[i].error, errors[i].step));
			continue;
		}
		if (recording_.targets.size() < most_named)
			recording_.targets.push_back(
				fmt::format("{} ({} {})", name, threads_ ? "tid" : "pid", targets[i]->pid));
		install(std::move(targets[i]));
		attached++;
	}
	recording_.processes += attached;
	return attached;
}

/**
 * Give a process that is already followed a profile of its own.
 *
 * The ticks of a new program are lost until it is attached, so it is attached
 * first and gets its regions afterwards; until then its PCs are stored.
 * @param warned suppresses the warning about a failure; set when the user is warned.
 */
Target *SpaceRecorder::attach_again(pid_t pid, bool new_program, bool &warned)
{
	TargetPointer target =
		new_program ? builder_.young_target(pid) : builder_.prepare(pid, false, pinned());
	const AttachError error = builder_.attach({&target, 1}, pinned()).front();
	Target *attached = target.get();

	/* ESRCH: it has ended or called exec again; an event reports either. */
	if (error.error && error.error != ESRCH && !std::exchange(warned, true))
		log_.warn(fmt::format("{}: {}: {}", label(pid),
				      new_program ? "its new program is not profiled"
						  : "it cannot be attached again, so samples may be lost",
				      explain(error.error, error.step)));
	if (error.error)
		return nullptr;
	install(std::move(target));
	return attached;
}

Clock::time_point SpaceRecorder::next_work(Clock::time_point now) const
{
	Clock::time_point next = now + look_interval;

	for (const auto &[profile, target] : targets_)
		next = std::min(next, target->scans.next().value_or(next));
	return next;
}

void SpaceRecorder::work(Clock::time_point now)
{
	handle_events();

	/* attach_again() adds targets: walk over those that exist now. */
	std::vector<uint32_t> profiles;

	for (const auto &[profile, target] : targets_)
		profiles.push_back(profile);
	for (const uint32_t profile : profiles) {
		look_after(*targets_.at(profile), now);
		/* That took time, and programs that have started since lose ticks until they are
		 * attached. */
		handle_events();
	}
	retire_ended();
	builder_.pool().drain_unused(recording_.tally);
	if (now >= next_drain_) {
		builder_.pool().drain(recording_.tally);
		next_drain_ = now + drain_interval_;
	}
	if (now >= next_tidying_) {
		tidy();
		next_tidying_ = now + tidy_interval;
	}
}

void SpaceRecorder::look_after(Target &target, Clock::time_point now)
{
	bool rescan = target.scans.due(now);

	if (rescan)
		target.scans.advance(now);
	if (target.next_check <= now)
		rescan = check(target, now) || rescan;
	if (rescan || (target.raw.pending() && target.patience <= now))
		resolve(target, now, rescan);
	if (target.raw.nearly_full() && target.renewal <= now)
		renew(target, now);
}

/**
 * Checks whether the profile goes on.
 * @return true if its process has run since the last check.  It may have replaced
 *         a mapping by another: the PCs of the new one are in an old region, so no
 *         raw sample reveals it.
 */
bool SpaceRecorder::check(Target &target, Clock::time_point now)
{
	const profil_status status = session_.status(target.profile);
	const bool has_run = std::exchange(target.counted, status.counted) != status.counted;

	target.next_check = now + check_interval;
	if (const char *why = ending(status.state); why && !std::exchange(target.over, true))
		log_.warn(fmt::format("{}: its profile has ended: {}", label(target.pid), why));
	if (threads_ && (!status.processes || (!has_run && runs_another_program(target))))
		end_thread(target);
	return has_run;
}

void SpaceRecorder::handle_events()
{
	for (const profil_event &event : session_.events())
		handle_event(event);
}

void SpaceRecorder::handle_event(const profil_event &event)
{
	const auto target = targets_.find(event.profile);

	/* A search may have attached the child before its fork event was read. */
	const bool born = event.what & PROFIL_EVENT_FORK && !profile_of_.contains(event.pid);

	if (born)
		recording_.processes++;
	/* A process in another PID namespace is counted, but has no PID here. */
	if (event.pid <= 0)
		return;
	if (event.what & (PROFIL_EVENT_EXIT | PROFIL_EVENT_EXEC))
		builder_.forget_memory(event.pid);
	if (event.what & PROFIL_EVENT_EXIT) {
		leave(event.pid);
		return;
	}
	if (born && target != targets_.end()) {
		target->second->members.insert(event.pid);
		profile_of_[event.pid] = event.profile;
	}
	if (event.what & PROFIL_EVENT_EXEC) {
		if (!attach_again(event.pid, true, warned_))
			leave(event.pid);
	} else if (per_process_ && born && !(event.what & PROFIL_EVENT_SHARES)) {
		/* Until now, it was counted in its parent's profile. */
		attach_again(event.pid, false, warned_);
	}
}

/** End the target of a thread.  No event reports the end of a thread, nor its exec. */
void SpaceRecorder::end_thread(Target &target)
{
	if (!std::exchange(target.over, true) && check_thread(target.pid))
		log_.warn(label(target.pid) + ": its process runs another program, which is not profiled");
}

std::string SpaceRecorder::label(pid_t pid) const
{
	return fmt::format("{} {} ({})", threads_ ? "tid" : "pid", pid, process_name(pid));
}

/** Remove a process from the members of its target. */
void SpaceRecorder::leave(pid_t pid)
{
	const auto place = profile_of_.find(pid);

	if (place == profile_of_.end())
		return;
	if (const auto target = targets_.find(place->second); target != targets_.end())
		target->second->members.erase(pid);
	profile_of_.erase(place);
}

/** Give a child that has mapped one of these PCs a profile of its own. */
Target *SpaceRecorder::adopt(Target &target, std::span<const uint64_t> pcs)
{
	const auto holds = [&](const Mapping &mapping) {
		return std::any_of(pcs.begin(), pcs.end(),
				   [&](uint64_t pc) { return pc >= mapping.start && pc < mapping.end; });
	};

	for (const pid_t pid : target.members) {
		if (pid == target.pid)
			continue;
		const Result<std::vector<Mapping>> mappings = read_maps(pid);

		if (mappings && std::any_of(mappings->begin(), mappings->end(), holds))
			return attach_again(pid, false, target.warned);
	}
	return nullptr;
}

/** The array of raw samples is nearly full: attach new profiles, which have new arrays. */
void SpaceRecorder::renew(Target &target, Clock::time_point now)
{
	for (const pid_t pid : std::vector<pid_t>(target.members.begin(), target.members.end())) {
		if (!attach_again(pid, false, target.warned)) {
			target.renewal = now + patience_interval;
			return;
		}
	}
}

} // namespace cli
