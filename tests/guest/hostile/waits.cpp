// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/waits.cpp  Ways in which a user's command waits for a page that never
 * arrives.
 */
#include "tests/guest/hostile/support.h"

#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace guest::hostile {

namespace {

/** A profile with its gate in @p memory. */
profil_start gate_in(const FuseMemory &memory, const Memory &counters)
{
	auto how = count_in(counters.at());

	how.gate = reinterpret_cast<uintptr_t>(memory.at());
	return how;
}

void start(const FuseFile &file)
{
	const Memory ordinary(page);

	file.hold();
	Device().start(gate_in(FuseMemory(file), ordinary));
}

void restart(const FuseFile &file)
{
	const Memory ordinary(page);

	Device().start(count_in(ordinary.at()));
	start(file);
}

void table(const FuseFile &file)
{
	const Device device;
	const Memory ordinary(page);
	const auto profile = record(device, getpid(), ordinary);
	const FuseMemory memory(file);

	file.hold();
	need_that(change_table(device, profile, memory.at()) == 0, "PROFIL_TABLE");
}

/** The file answers, but the kernel's readahead may fail for lack of memory or time: then retry. */
void start_in(const Device &device, const FuseMemory &memory, const Memory &counters)
{
	auto how = gate_in(memory, counters);
	int error = EFAULT;

	for (int i = 0; i < 3 && error == EFAULT; i++)
		error = device.call(PROFIL_START, &how);
	errno = error;
	need(error ? -1 : 0, "PROFIL_START");
}

void status(const FuseFile &file)
{
	const Device device;
	const FuseMemory memory(file);
	const Memory ordinary(page);

	start_in(device, memory, ordinary);
	file.hold();
	/* A tick while the memory is being dropped may get it from the cache again. */
	for (int i = 0; i < 10 && file.waiting() == 0; i++) {
		memory.drop();
		device.status();
	}
}

void recheck(const FuseFile &file)
{
	const Device device;
	const FuseMemory memory(file);
	const Memory ordinary(page);

	start_in(device, memory, ordinary);
	file.hold();
	Burner().burn_until(counted_text, [&] {
		memory.drop();
		return file.waiting() > 0;
	});
}

void tick(const FuseFile &file)
{
	const FuseMemory memory(file);

	file.hold();
	Device().start(count_in(memory.at()));
	Burner().burn_until(counted_text, [&] { return file.waiting() > 0; });
}

void recording(const FuseFile &file)
{
	const Device device;
	const FuseMemory memory(file);
	const Fd proof = user_proof(getpid());

	file.hold();
	device.record(describe_recording(memory.at(), page, 0, period_nobody), proof.get());
}

/** Calls ioctl(2) directly, because initializing the structure would read the file. */
void argument(const FuseFile &file)
{
	const Device device;
	const FuseMemory memory(file);

	file.hold();
	ioctl(device.fd(), PROFIL_STATUS, memory.at());
}

void regions(const FuseFile &file)
{
	const Device device;
	const FuseMemory memory(file);
	auto how = count_in(nullptr);

	how.regions = reinterpret_cast<uintptr_t>(memory.at());
	file.hold();
	device.call(PROFIL_START, &how);
}

} // namespace

const Wait start_waits = {"a start that replaces a profile", restart};
const Wait table_waits = {"another table", table};
const Wait status_waits = {"a status", status};
const Wait recheck_waits = {"the recheck after a tick", recheck};
const Wait first_start_waits = {"the first start", start};
const Wait tick_waits = {"a tick that needs its counter", tick};
const Wait recording_waits = {"a recording", recording};
const Wait argument_waits = {"an argument", argument};
const Wait regions_wait = {"regions", regions};

const std::vector<Wait> unlocked_waits = {first_start_waits, recording_waits, argument_waits, regions_wait};
const std::vector<Wait> all_waits = {table_waits,     status_waits,   recheck_waits,
				     start_waits,     tick_waits,     first_start_waits,
				     recording_waits, argument_waits, regions_wait};

} // namespace guest::hostile
