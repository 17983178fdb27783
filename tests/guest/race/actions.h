// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/actions.h  Actions that affect a recording: commands on its file, actions
 * of its target and its owner, CPU hotplug, and removal of the module.
 */
#pragma once

#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"

#include <atomic>
#include <cerrno>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <utility>

namespace guest {

constexpr size_t table_bytes = 4096;
/*
 * The highest number that every recording has, and a number beyond those of most recordings here.
 */
constexpr uint32_t fixed_numbers = 15, last_number = 24;
constexpr const char *switch_of_cpu1 = "/sys/devices/system/cpu/cpu1/online";

/** The effects of an action on the action that races it: reasons for which the latter may fail. */
enum Reason : unsigned {
	stops = 1 << 0,	      /* the recording is over */
	unwatches = 1 << 1,   /* the target may be in another recording */
	erases = 1 << 2,      /* a number is unknown */
	closes = 1 << 3,      /* the descriptor is closed */
	takes = 1 << 4,	      /* the target is in a recording of the file */
	loses = 1 << 5,	      /* the target ends, or becomes another user's */
	ends_target = 1 << 6, /* the target's threads are killed */
	ends_owner = 1 << 7,  /* the owner's threads are killed, its tables unmapped */
	meets = 1 << 8,	      /* the recording is system-wide, and may follow the target */
	root = 1 << 9,	      /* the action needs privileges */
	whatever = 1 << 10,
};

/** The kind of recording that runs when both actions begin. */
enum Kind { of_owner, of_target, of_everybody };

struct Shared {
	std::atomic<unsigned> waiting;
	std::atomic<uint32_t> profile;
	/* Whether each side has ended, and the errors that it saw. */
	std::atomic<bool> ended[2], seen[2][256];
};

/** One side of a pair, with the objects that it may use. */
struct Side {
	Shared &shared;
	const std::string program, guarded;
	int device = -1, proof = -1, proof_of_everybody = -1;
	uintptr_t tables = 0;
	unsigned number = 0;
	bool apart = false; /* runs in another process, with a file that outlives the owner */

	void note(int error) const { shared.seen[number][error] = true; }
	/** Issues a command on the recording.  Returns 0 or the error. */
	template <typename T> int call(unsigned command, T &structure, uint32_t flags = 0) const
	{
		structure.size = sizeof(structure);
		structure.flags = flags;
		return ioctl(device, command, &structure) ? errno : 0;
	}
	template <typename T> T about() const
	{
		T structure = {};

		structure.profile = shared.profile;
		return structure;
	}
	/** One of this side's tables. */
	uint64_t table(unsigned which) const { return tables + (which * 2 + number) * table_bytes; }
	int record(uint32_t flags, int its_proof, unsigned which = 1) const
	{
		profil_record record = {};

		record.proof = its_proof;
		record.period = period_nobody;
		record.table = table(which);
		record.nr_counts = table_bytes / sizeof(profil_count);
		const int error = call(PROFIL_RECORD, record, flags);
		if (!error && !shared.profile)
			shared.profile = record.profile;
		return error;
	}
};

template <uint32_t flags> void describe(const Side &side)
{
	for (uint32_t number = flags & PROFIL_DESCRIBE_FORGET ? fixed_numbers + 1 : 1; number < last_number;
	     number++) {
		auto about = side.about<profil_describe>();

		about.number = number;
		const int error = side.call(PROFIL_DESCRIBE, about, flags);
		if (!error && about.fd >= 0)
			close(about.fd);
		/* Higher numbers may not have been given yet, or may be forgotten. */
		if (error != ENOENT || number <= fixed_numbers)
			side.note(error);
	}
}

template <uint32_t flags> void stop(const Side &side)
{
	auto stop = side.about<profil_stop>();

	side.note(side.call(PROFIL_STOP, stop, flags));
}

inline void ask_for_status(const Side &side)
{
	for (unsigned i = 0; i < 8; i++) {
		auto status = side.about<profil_status>();
		const int error = side.call(PROFIL_STATUS, status);

		side.note(error);
		need_that(error || status.ticks == causes(status), "the causes add up to the ticks");
	}
}

inline void begin(const Side &side)
{
	side.note(side.record(PROFIL_FOLLOW, side.proof));
}

inline void begin_everybody(const Side &side)
{
	side.note(side.record(PROFIL_RECORD_EVERYBODY, side.proof_of_everybody));
}

inline void add(const Side &side)
{
	auto add = side.about<profil_add>();

	add.proof = side.proof;
	side.note(side.call(PROFIL_ADD, add));
}

inline void change_tables(const Side &side)
{
	for (unsigned which = 1; which < 4; which++) {
		auto change = side.about<profil_table>();

		change.table = side.table(which);
		change.nr_counts = table_bytes / sizeof(profil_count);
		side.note(side.call(PROFIL_TABLE, change));
	}
}

inline void arm_wake_up(const Side &side)
{
	for (unsigned i = 0; i < 8; i++) {
		auto wait = side.about<profil_wait>();

		wait.keys = 1;
		side.note(side.call(PROFIL_WAIT, wait));
	}
}

inline void stop_all(const Side &side)
{
	profil_stop_all all = {};

	side.note(side.call(PROFIL_STOP_ALL, all));
}

inline void fork_once(const Side &side)
{
	const pid_t pid = fork();

	if (!pid) {
		Burner::spin(Burner::usual, 2'000);
		_exit(0);
	}
	side.note(pid < 0 ? errno : 0);
	waitpid(pid, nullptr, 0);
}

/** Execute a program that uses @p ms milliseconds of CPU time. */
inline void execute(const Side &side, const std::string &program, const char *ms)
{
	execl(program.c_str(), "program", ms, nullptr);
	side.note(errno);
}

/**
 * The target's program runs until it is killed at the end of the round; the owner's ends by itself.
 */
template <auto path> void become(const Side &side)
{
	execute(side, side.*path, "1000000000");
}

inline void become_short(const Side &side)
{
	execute(side, side.program, "1");
}

inline void exit_now(const Side &)
{
	_exit(0);
}

inline void close_file(const Side &side)
{
	side.note(close(side.device) ? errno : 0);
}

inline void switch_cpu1(const Side &side)
{
	for (const char *value : {"0", "1"})
		write_file(switch_of_cpu1, value);
	side.note(0);
}

inline void unload(const Side &side)
{
	if (side.apart)
		close(side.device);
	side.note(unload_module());
}

using Errors = std::vector<std::pair<unsigned, int>>;

struct Action {
	const char *name;
	enum Group { command, by_target, other, of_module } group;
	void (*run)(const Side &side);
	unsigned does;
	/** the errors that each reason allows */
	Errors errors;
	int usual[3] = {0, 0, 0}; /* the result if no reason applies, by Kind */
};

using enum Action::Group;

inline const Errors begun = {{takes | meets, EEXIST}, {unwatches, 0}, {loses, ESRCH}},
		    added = {{takes, EEXIST}, {stops | ends_owner, ENOENT}, {loses, ESRCH}},
		    running = {{stops | ends_owner, ENOENT}}, erased = {{erases, ENOENT}};

/**
 * The actions.  Each has its effects on the action that races it, and the errors that it may itself
 * return, by reason.
 */
inline const Action actions[] = {
	{"begin", command, begin, takes, begun, {0, EEXIST, 0}},
	{"begin everybody", command, begin_everybody, takes | root, {}},
	{"add", command, add, takes, added, {0, EEXIST, EINVAL}},
	{"table", command, change_tables, 0, {{stops | ends_owner, ENOENT}, {ends_owner, EPERM}}},
	{"wait", command, arm_wake_up, 0, running},
	{"describe", command, describe<0>, 0, erased},
	{"OPEN", command, describe<PROFIL_DESCRIBE_OPEN>, root, {{whatever, ENODATA}, {erases, ENOENT}}},
	{"RELEASE", command, describe<PROFIL_DESCRIBE_RELEASE>, 0, erased},
	{"FORGET", command, describe<PROFIL_DESCRIBE_FORGET>, 0, {{whatever, EINVAL}}},
	{"stop", command, stop<0>, stops | unwatches | erases, erased},
	{"KEEP", command, stop<PROFIL_STOP_KEEP>, stops | unwatches, erased},
	{"status", command, ask_for_status, 0, erased},
	{"STOP_ALL", command, stop_all, stops | root, {}},
	{"target forks", by_target, fork_once, 0, {}},
	{"target executes", by_target, become<&Side::program>, ends_target, {}},
	{"target executes set-uid", by_target, become<&Side::guarded>, ends_target | loses, {}},
	{"target exits", by_target, exit_now, ends_target | loses, {}},
	{"close", other, close_file, closes, {}},
	{"owner executes", other, become_short, ends_owner, {}},
	{"owner exits", other, exit_now, ends_owner, {}},
	{"CPU off and on", other, switch_cpu1, root, {}},
	{"rmmod",
	 of_module,
	 unload,
	 root,
	 {{closes | ends_owner, 0}},
	 {EWOULDBLOCK, EWOULDBLOCK, EWOULDBLOCK}},
};

} // namespace guest
