// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/support/fuse.h"

#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <vector>

namespace guest {

void FuseFile::serve() const
{
	using Server = support::FuseServer;
	Server server(mount_.device(), bytes_, closes_ ? Server::fresh_pages : 0,
		      closes_ ? 0 : Server::never_closes);
	std::vector<Server::Read> reads;

	for (;;) {
		if (const auto read = server.serve())
			reads.push_back(*read);
		if (!state()->held) {
			for (const auto &read : reads)
				server.answer(read);
			reads.clear();
		}
		state()->waiting = static_cast<unsigned>(reads.size());
	}
}

FuseFile::FuseFile(size_t bytes, bool closes) : bytes_(bytes), closes_(closes), server_([this] { serve(); })
{
	mount_.close_device();
}

FuseFile::~FuseFile()
{
	abort();
}

void FuseFile::await_reader() const
{
	need_that(soon([this] { return waiting() > 0; }), "a page of the FUSE file is read");
}

void FuseFile::abort()
{
	if (server_.pid() < 0)
		return;
	kill(server_.pid(), SIGKILL);
	server_.reap();
	mount_.unmount();
}

FuseMemory::FuseMemory(const FuseFile &file)
	: file_(need(open(file.path().c_str(), O_RDWR | O_CLOEXEC), file.path().c_str())),
	  memory_(file.bytes(), MAP_PRIVATE, file_.get())
{
}

void FuseMemory::drop() const
{
	need(madvise(memory_.at(), memory_.bytes(), MADV_DONTNEED), "MADV_DONTNEED");
	/* Otherwise the page would come from the cache. */
	const int error = posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED);
	need_that(error == 0, "POSIX_FADV_DONTNEED");
}

} // namespace guest
