// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/user_memory.h"

#include <cerrno>
#include <cstring>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace libprofil {

/*
 * The kernel copies between two places of our own, and says when one is not
 * there.  A sandbox may forbid the call; then the pointer is believed.
 */
static int copy(long number, void *ours, const void *theirs, size_t bytes)
{
	const iovec local = {ours, bytes};
	const iovec remote = {const_cast<void *>(theirs), bytes};
	/* By our own thread: the first of the process may have ended, and has no memory then. */
	const long done = syscall(number, syscall(SYS_gettid), &local, 1UL, &remote, 1UL, 0UL);

	if (done < 0 && (errno == ENOSYS || errno == EPERM || errno == ESRCH))
		return errno;
	return static_cast<size_t>(done) == bytes ? 0 : EFAULT;
}

int copy_from_caller(void *to, const void *from, size_t bytes)
{
	const int error = bytes ? copy(SYS_process_vm_readv, to, from, bytes) : 0;

	if (!error || error == EFAULT)
		return error;
	memcpy(to, from, bytes);
	return 0;
}

int copy_to_caller(void *to, const void *from, size_t bytes)
{
	const int error = bytes ? copy(SYS_process_vm_writev, const_cast<void *>(from), to, bytes) : 0;

	if (!error || error == EFAULT)
		return error;
	memcpy(to, from, bytes);
	return 0;
}

} // namespace libprofil
