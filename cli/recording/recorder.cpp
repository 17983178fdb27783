// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/recorder.h"

#include "cli/process/maps.h"
#include "cli/process/process.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace cli {
namespace {

/* Within this time what is newly mapped shows up in the regions. */
constexpr std::chrono::milliseconds look_interval{100};
/* For so long is kept what processes leave behind that have ended. */
constexpr std::chrono::minutes tidy_interval{1};
/* Of a search's processes a file names some. */
constexpr size_t most_named = 100;

/** A child of vfork(2) leaves its parent's memory alive: the module waits for the thread to return to it. */
bool runs_another_program(const Target &target)
{
	return target.start && program_start(target.pid) != target.start;
}

/** Why a profile has ended, or NULL. */
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

Recorder::Recorder(Session session, RecorderSettings settings, RecorderLog &log)
	: session_(std::move(session)), log_(log), per_process_(settings.per_process),
	  threads_(settings.threads), builder_(session_, settings),
	  drain_interval_(
		  drain_interval(settings.period, static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF)))),
	  next_drain_(Clock::now() + drain_interval_), next_tidying_(Clock::now() + tidy_interval)
{
}

uint64_t Recorder::pinned() const
{
	uint64_t bytes = 0;

	for (const auto &[profile, target] : targets_)
		bytes += target->pinned();
	return bytes;
}

void Recorder::install(TargetPointer target)
{
	leave(target->pid);
	profile_of_[target->pid] = target->profile;
	targets_[target->profile] = std::move(target);
	recording_.counter_bytes = std::max(recording_.counter_bytes, builder_.pool().bytes());
}

size_t Recorder::attach(std::span<const pid_t> pids, bool young)
{
	std::vector<TargetPointer> targets;
	size_t attached = 0;
	/* Room for the smallest part of each comes first, then for the finer counters of some. */
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
 * Give a process that is followed already a profile of its own.
 *
 * A new program's ticks are lost until it is attached, so it is attached as it
 * is, and gets its regions when that is done: until then its PCs are stored.
 * @param warned is set when the user was told that it failed, and then he is not.
 */
Target *Recorder::attach_again(pid_t pid, bool new_program, bool &warned)
{
	TargetPointer target =
		new_program ? builder_.young_target(pid) : builder_.prepare(pid, false, pinned());
	const AttachError error = builder_.attach({&target, 1}, pinned()).front();
	Target *attached = target.get();

	/* ESRCH: it has ended, or runs yet another program; either is reported. */
	if (error.error && error.error != ESRCH && !std::exchange(warned, true))
		log_.warn(fmt::format("{}: {}: {}", label(pid),
				      new_program ? "its new program is not profiled"
						  : "it cannot be attached anew, so samples may be lost",
				      explain(error.error, error.step)));
	if (error.error)
		return nullptr;
	install(std::move(target));
	return attached;
}

Clock::time_point Recorder::next_work(Clock::time_point now) const
{
	Clock::time_point next = now + look_interval;

	for (const auto &[profile, target] : targets_)
		next = std::min(next, target->scans.next().value_or(next));
	return next;
}

void Recorder::work(Clock::time_point now)
{
	handle_events();

	/* Attaching anew adds targets: walk over those that are here now. */
	std::vector<uint32_t> profiles;

	for (const auto &[profile, target] : targets_)
		profiles.push_back(profile);
	for (const uint32_t profile : profiles) {
		look_after(*targets_.at(profile), now);
		/* Looking takes its time, and programs that have begun meanwhile lose theirs. */
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

void Recorder::look_after(Target &target, Clock::time_point now)
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
 * Does the profile go on?  Then true if its process has run since the last
 * check, and may have mapped something in place of something else: the PCs of
 * that are in a region, and do not betray it.
 */
bool Recorder::check(Target &target, Clock::time_point now)
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

void Recorder::handle_events()
{
	for (const profil_event &event : session_.events())
		handle_event(event);
}

void Recorder::handle_event(const profil_event &event)
{
	const auto target = targets_.find(event.profile);

	/* A search may have attached it before its birth was read. */
	const bool born = event.what & PROFIL_EVENT_FORK && !profile_of_.contains(event.pid);

	if (born)
		recording_.processes++;
	/* Of another PID namespace: it is counted, but cannot be named. */
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
		/* Until now it counted where its parent counts. */
		attach_again(event.pid, false, warned_);
	}
}

/** Of a thread's end no event tells: it is met nowhere any more. */
void Recorder::end_thread(Target &target)
{
	if (!std::exchange(target.over, true) && check_thread(target.pid))
		log_.warn(label(target.pid) + ": its process runs another program, which is not profiled");
}

std::string Recorder::label(pid_t pid) const
{
	return fmt::format("{} {} ({})", threads_ ? "tid" : "pid", pid, process_name(pid));
}

/** A process is not met by its target any more. */
void Recorder::leave(pid_t pid)
{
	const auto place = profile_of_.find(pid);

	if (place == profile_of_.end())
		return;
	if (const auto target = targets_.find(place->second); target != targets_.end())
		target->second->members.erase(pid);
	profile_of_.erase(place);
}

/** Give the child that has such a PC in a mapping of its own a profile of its own. */
Target *Recorder::adopt(Target &target, std::span<const uint64_t> pcs)
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

/** The array of raw samples is nearly full: new profiles have new ones. */
void Recorder::renew(Target &target, Clock::time_point now)
{
	for (const pid_t pid : std::vector<pid_t>(target.members.begin(), target.members.end())) {
		if (!attach_again(pid, false, target.warned)) {
			target.renewal = now + patience_interval;
			return;
		}
	}
}

} // namespace cli
