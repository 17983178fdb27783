// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/commands.h"

#include "tests/fuzz/module/arena.h"
#include "tests/fuzz/module/argument.h"
#include "tests/fuzz/module/device.h"
#include "tests/fuzz/module/ring.h"
#include "tests/fuzz/module/shared.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <linux/profil.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace fuzz {

namespace {

/** True if the heads of the module's interface headers document the error for the command. */
bool documented(unsigned command, int error)
{
	const auto one_of = [error](std::initializer_list<int> errors) {
		return std::find(errors.begin(), errors.end(), error) != errors.end();
	};

	if (command == unknown_command)
		return one_of({ENOTTY, EBADF, EINVAL}); /* a ring checks the size first */
	/* Another thread may close the descriptor. */
	if (one_of({0, E2BIG, EBADF, EFAULT, EINTR, EINVAL, ENOMEM}))
		return true;
	switch (command) {
	case PROFIL_START: return one_of({EBUSY, EDQUOT, EOPNOTSUPP, ERANGE});
	case PROFIL_RECORD:
		return one_of(
			{EACCES, EBUSY, EDQUOT, EEXIST, ENOENT, ENOSPC, EOPNOTSUPP, EPERM, ERANGE, ESRCH});
	case PROFIL_ADD: return one_of({EACCES, EBUSY, EDQUOT, EEXIST, ENOENT, EOPNOTSUPP, EPERM, ESRCH});
	case PROFIL_TABLE: return one_of({EDQUOT, ENOENT, EPERM});
	case PROFIL_WAIT: return error == ENOENT;
	/* Opening a file may fail as open(2) does; the file system may be FUSE, and die. */
	case PROFIL_DESCRIBE: return one_of({EACCES, EIO, EMFILE, ENAMETOOLONG, ENODATA, ENOENT, ENOTCONN});
	case PROFIL_STOP: return one_of({EDQUOT, ENOENT});
	case PROFIL_STATUS: return error == ENOENT;
	case PROFIL_STOP_ALL: return error == EPERM;
	default: return false;
	}
}

uint64_t causes(const profil_status &status)
{
	return status.counted + status.outside + status.saturated + status.kernel + status.no_user_pc +
	       status.off + status.lost_late + status.lost_contended + status.lost_full;
}

void check(unsigned command, int error, const Argument &before, const Argument &after)
{
	const auto nr = command & 0xff;

	shared->commands++;
	(error ? shared->refused : shared->succeeded)++;
	if (!documented(command, error))
		return complain("command %#x: undocumented error %d", nr, error);
	if (memcmp(after.canary, before.canary, sizeof(after.canary)))
		return complain("command %#x wrote beyond its structure", nr);
	/* Only a copy that fails half-way may leave part of the output in the structure. */
	if (error && error != EFAULT && memcmp(after.bytes, before.bytes, sizeof(after.bytes)))
		return complain("command %#x failed with %d and wrote its output", nr, error);
	if (error)
		return;
	if (command == PROFIL_STATUS && after.status.ticks != causes(after.status))
		complain("status: %lu ticks and %lu of causes", uint64_t{after.status.ticks},
			 causes(after.status));
	if (command == PROFIL_STATUS && after.status.state > PROFIL_STATE_STOPPED)
		complain("status: state %u", after.status.state);
	if (command == PROFIL_INFO && after.info.abi != PROFIL_ABI)
		complain("info: abi %u", after.info.abi);
	if (command == PROFIL_RECORD)
		shared->recordings++;
}

/** This thread's major faults: those that waited for a page. */
long major_faults()
{
	rusage usage = {};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_majflt;
}

/** Opens a proof on the target, or on a CPU if the recording is system-wide or names its target. */
template <typename T> int give_proof(Random &random, T &structure, uint32_t flags, pid_t target)
{
	const bool everybody = flags & PROFIL_RECORD_EVERYBODY;
	const bool named = !everybody && random.one_in(3);

	if (named)
		structure.target = random.one_in(20) ? static_cast<int32_t>(random.any_size()) : target;
	structure.proof = make_proof(random, target, everybody || named, flags & PROFIL_EVENT);
	return structure.proof;
}

} // namespace

void run_command(Random &random, pid_t target)
{
	const unsigned command = shared->together ? random.pick(commands_together) : random.pick(commands);
	const int fd = any_device(random);
	const bool by_ring = random.one_in(3);
	Argument argument, before;
	Regions regions = {};
	int error, proof = -1;

	if (random.one_in(60))
		return thread_ring.abandon(random, fd);
	/* Stops the profiles of all processes, so not often. */
	if (command == PROFIL_STOP_ALL && (!random.one_in(10) || shared->among_others))
		return;
	make(random, command, argument, regions);
	before = argument;
	if (random.one_in(shared->together ? 60 : 6))
		spoil(random, argument, regions, size_of(command));
	if (!harmless(command, argument, before))
		return;
	/* A proof is refused where none is needed. */
	if (command == PROFIL_RECORD && (!(argument.record.flags & PROFIL_RECORD_SELF) || random.one_in(20)))
		proof = give_proof(random, argument.record, argument.record.flags, target);
	else if (command == PROFIL_ADD)
		proof = give_proof(random, argument.add, random.one_in(4) ? PROFIL_EVENT : 0U, target);
	void *at = random.one_in(50) ? bad_pointer(random) : &argument;
	/*
	 * Use counters as the argument.  The command may then wait for a page.  It follows
	 * no pointer in its structure, so any content is harmless.
	 */
	if ((command == PROFIL_STATUS || command == PROFIL_STOP) && random.one_in(20))
		at = reinterpret_cast<void *>(Arena::start + random.below(Arena::slots) * Arena::slot_bytes);
	before = argument;
	const long faults = major_faults();
	if (by_ring) {
		const auto size =
			random.one_in(30) ? static_cast<uint32_t>(random.any_size()) : argument.size;
		error = thread_ring.call(random, fd, command, at, size);
	} else {
		error = ioctl(fd, command, at) ? errno : 0;
	}
	shared->waited += major_faults() != faults;
	if (proof >= 0)
		close(proof);
	if (!error && command == PROFIL_DESCRIBE && argument.describe.fd >= 0)
		close(argument.describe.fd);
	/* ECANCELED: io_uring had no worker for the command. */
	if (error >= 0 && !(by_ring && error == ECANCELED))
		check(command, error, before, argument);
}

} // namespace fuzz
