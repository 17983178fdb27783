// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/waits.cpp  The ways in which a user's command can wait for a page that never
 * comes.
 */
#include "tests/guest/hostile/support.h"

#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace guest::hostile {

namespace {

void restart(const FuseFile &file)
{
	const Device device;
	const Memory ordinary(page);

	device.start(count_in(ordinary.at()));
	file.hold();
	device.start(count_in(FuseMemory(file).at()));
}

void start(const FuseFile &file)
{
	file.hold();
	Device().start(count_in(FuseMemory(file).at()));
}

void update(const FuseFile &file)
{
	const Device device;
	const Memory ordinary(page);
	const auto profile = attach_to(device, getpid(), ordinary);
	const FuseMemory memory(file);
	const auto region = region_on(memory.at());
	auto change = describe_update(profile, std::span(&region, 1));

	file.hold();
	need_that(device.call(PROFIL_UPDATE, &change) == 0, "PROFIL_UPDATE");
}

/**
 * The file answers, but the kernel's readahead may fail for lack of memory or time.  Then the page
 * is read again.
 */
void start_in(const Device &device, const FuseMemory &memory)
{
	auto how = count_in(memory.at());
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

	start_in(device, memory);
	file.hold();
	memory.drop();
	device.status();
}

void recheck(const FuseFile &file)
{
	const Device device;
	const FuseMemory memory(file);
	const Burner burner;

	start_in(device, memory);
	file.hold();
	memory.drop();
	burner.burn_until(counted_text, [&] { return file.waiting() > 0; });
}

void attach(const FuseFile &file)
{
	const FuseMemory memory(file);

	file.hold();
	Device().attach(count_in(memory.at()), user_proof(getpid()).get());
}

/** Calls ioctl(2) directly: initializing the structure would read the file. */
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

void read_events(const FuseFile &file)
{
	const Device device;
	const FuseMemory memory(file);

	file.hold();
	syscall(SYS_read, device.fd(), memory.at(), page);
}

} // namespace

const Wait start_waits = {"a start that replaces a profile", restart};
const Wait update_waits = {"an update", update};
const Wait status_waits = {"a status", status};
const Wait recheck_waits = {"the recheck after a tick", recheck};
const Wait first_start_waits = {"the first start", start};
const Wait attach_waits = {"an attach", attach};
const Wait argument_waits = {"an argument", argument};
const Wait regions_wait = {"regions", regions};
const Wait read_waits = {"a read of events", read_events};

const std::vector<Wait> locked_waits = {start_waits, update_waits, status_waits, recheck_waits};
const std::vector<Wait> unlocked_waits = {first_start_waits, attach_waits, argument_waits, regions_wait,
					  read_waits};
const std::vector<Wait> all_waits = {start_waits,    update_waits,	status_waits,
				     recheck_waits,  first_start_waits, attach_waits,
				     argument_waits, regions_wait,	read_waits};

} // namespace guest::hostile
