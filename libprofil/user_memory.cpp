// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/user_memory.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace libprofil {

namespace {

/** A pipe. */
class Pipe {
public:
	Pipe() : open_(!pipe2(ends_, O_CLOEXEC)) {}
	Pipe(const Pipe &) = delete;
	Pipe &operator=(const Pipe &) = delete;
	~Pipe()
	{
		if (open_) {
			close(ends_[0]);
			close(ends_[1]);
		}
	}

	[[nodiscard]] bool ok() const { return open_; }
	/** Copy bytes through the pipe, which is empty and has room for all of them. */
	[[nodiscard]] bool carry(void *to, const void *from, size_t bytes) const
	{
		const auto whole = static_cast<ssize_t>(bytes);

		return write(ends_[1], from, bytes) == whole && read(ends_[0], to, bytes) == whole;
	}

private:
	int ends_[2];
	bool open_;
};

/* If no descriptor is free for a pipe, trust the pointer. */
int copy_by_pipe(void *to, const void *from, size_t bytes)
{
	const Pipe pipe;

	if (!pipe.ok()) {
		memcpy(to, from, bytes);
		return 0;
	}
	for (size_t done = 0; done < bytes; done += PIPE_BUF) {
		if (!pipe.carry(static_cast<char *>(to) + done, static_cast<const char *>(from) + done,
				std::min<size_t>(bytes - done, PIPE_BUF)))
			return EFAULT;
	}
	return 0;
}

/*
 * Let the kernel copy within our own memory, so that a bad pointer becomes an error.
 * A sandbox may forbid the call, and a kernel may be built without it
 * (CONFIG_CROSS_MEMORY_ATTACH): then copy through a pipe.
 */
int copy(long number, void *to, const void *from, size_t bytes)
{
	const bool reads = number == SYS_process_vm_readv;
	void *const source = const_cast<void *>(from);
	const iovec local = {reads ? to : source, bytes};
	const iovec remote = {reads ? source : to, bytes};
	/* Name our own thread: the first thread may have ended, and then it has no memory. */
	const long done = syscall(number, syscall(SYS_gettid), &local, 1UL, &remote, 1UL, 0UL);

	if (done < 0 && (errno == ENOSYS || errno == EPERM || errno == ESRCH))
		return copy_by_pipe(to, from, bytes);
	return static_cast<size_t>(done) == bytes ? 0 : EFAULT;
}

} // namespace

int copy_from_caller(void *to, const void *from, size_t bytes)
{
	return bytes ? copy(SYS_process_vm_readv, to, from, bytes) : 0;
}

int copy_to_caller(void *to, const void *from, size_t bytes)
{
	return bytes ? copy(SYS_process_vm_writev, to, from, bytes) : 0;
}

int make_writable(uint64_t address)
{
	const uint64_t page = getauxval(AT_PAGESZ);

	if (address > UINTPTR_MAX)
		return EFAULT;
	if (!madvise(reinterpret_cast<void *>(address - address % page), page, MADV_POPULATE_WRITE))
		return 0;
	/* A sandbox may forbid madvise(): then the first tick finds out. */
	return errno == ENOSYS || errno == EPERM ? 0 : EFAULT;
}

} // namespace libprofil
