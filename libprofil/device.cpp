// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/device.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace libprofil {

/* Every structure of every version has a size between these. */
constexpr size_t size_min = 16;
constexpr size_t size_max = 4096;

/*
 * Zero a structure that the module fills in, except its size.  The caller's
 * structure may be longer than ours, and the module requires zeroes in members
 * that it does not know.
 */
template <typename Structure> static int clear(Structure *structure)
{
	if (!structure)
		return EFAULT;

	const uint32_t size = structure->size;

	if (size < size_min)
		return EINVAL;
	if (size > size_max)
		return E2BIG;
	memset(static_cast<void *>(structure), 0, size);
	structure->size = size;
	return 0;
}

int Device::open()
{
	const long number = syscall(SYS_openat, AT_FDCWD, "/dev/profil", O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);

	if (number < 0) {
		/* The module is not loaded: report one error, however /dev is provided. */
		return errno == ENOENT || errno == ENOTDIR ? ENODEV : errno;
	}
	fd_ = Fd(static_cast<int>(number));

	const int error = check_abi();

	if (error)
		fd_.close();
	return error;
}

void Device::raise()
{
	constexpr int high = 200;
	const long number = syscall(SYS_fcntl, fd_.get(), F_DUPFD_CLOEXEC, high);

	if (number >= 0)
		fd_ = Fd(static_cast<int>(number));
}

bool Device::is_open() const
{
	return fd_ && !check_abi();
}

void Device::close()
{
	if (is_open())
		fd_.close();
	else
		(void)fd_.release();
}

int Device::check_abi() const
{
	profil_info answer = {};

	answer.size = sizeof answer;
	if (const int error = command(PROFIL_INFO, &answer))
		return error;
	return answer.abi == PROFIL_ABI ? 0 : EPROTO;
}

int Device::command(unsigned long number, void *argument) const
{
	return syscall(SYS_ioctl, fd_.get(), number, argument) < 0 ? errno : 0;
}

int Device::info(profil_info *info) const
{
	if (const int error = clear(info))
		return error;
	return command(PROFIL_INFO, info);
}

int Device::sized(unsigned long number, void *structure) const
{
	return structure ? command(number, structure) : EFAULT;
}

int Device::stop(uint32_t profile, uint64_t *stored, uint32_t flags) const
{
	profil_stop stop = {};

	stop.size = sizeof stop;
	stop.flags = flags;
	stop.profile = profile;

	const int error = command(PROFIL_STOP, &stop);

	if (!error && stored)
		*stored = stop.stored;
	return error;
}

int Device::status(uint32_t profile, profil_status *status) const
{
	if (const int error = clear(status))
		return error;
	status->profile = profile;
	return command(PROFIL_STATUS, status);
}

int Device::stop_all() const
{
	struct profil_stop_all stop = {};

	stop.size = sizeof stop;
	return command(PROFIL_STOP_ALL, &stop);
}

} // namespace libprofil
