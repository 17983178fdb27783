// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/slow_file.h"

#include "tests/fuzz/module/shared.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fuzz {

namespace {

using Clock = std::chrono::steady_clock;
using Read = support::FuseServer::Read;

/** Decides when each read is answered. */
class Answers {
public:
	Answers(support::FuseServer &server, Random random) : server_(server), random_(random) {}

	void take(const Read &read)
	{
		shared->slow_reads++;
		/* The kernel has at most 64 readahead requests in flight, so fewer may stay unanswered. */
		if (never_ < 32 && random_.one_in(20)) {
			never_++;
			shared->slow_never++;
		} else if (random_.one_in(5)) {
			shared->slow_late++;
			late_.push_back({read, Clock::now() + std::chrono::milliseconds(random_.below(60))});
		} else {
			server_.answer(read);
		}
	}

	void answer_late()
	{
		const auto now = Clock::now();

		std::erase_if(late_, [&](const Late &late) {
			if (late.due > now)
				return false;
			server_.answer(late.read);
			return true;
		});
	}

private:
	struct Late {
		Read read;
		Clock::time_point due;
	};

	support::FuseServer &server_;
	Random random_;
	std::vector<Late> late_;
	unsigned never_ = 0;
};

} // namespace

SlowFile::SlowFile()
{
	try {
		if (!support::fuse_available())
			throw std::runtime_error("this kernel has no FUSE");
		mount_.emplace();
	} catch (const std::exception &problem) {
		std::cout << "fuzz: no memory of FUSE files: " << problem.what() << std::endl;
		return;
	}
	snprintf(shared->slow_file, sizeof(shared->slow_file), "%s", mount_->path().c_str());
	start();
}

SlowFile::~SlowFile()
{
	end();
}

void SlowFile::serve(pid_t parent) const
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	try {
		/*
		 * Do not set fresh_pages: mmap() would drop the cached pages, and hold mmap_lock
		 * while it waits for pages that others are reading.
		 */
		support::FuseServer server(mount_->device(), bytes, 0);
		Answers answers(server, Random(mix(shared->seed, mix(servers_))));

		for (;;) {
			if (const auto read = server.serve())
				answers.take(*read);
			answers.answer_late();
		}
	} catch (const std::exception &problem) {
		complain("the FUSE server: %s", problem.what());
	}
	_exit(1);
}

void SlowFile::start()
{
	const pid_t parent = getpid();

	servers_++;
	server_ = fork();
	if (!server_)
		serve(parent);
	/* Workers must not inherit the descriptor, which would keep the file system alive. */
	mount_->close_device();
	if (server_ < 0)
		complain("fork: error %d", errno);
}

/** By the time that waitpid() returns, the kernel has ended the file system. */
void SlowFile::end_server()
{
	if (server_ > 0) {
		kill(server_, SIGKILL);
		waitpid(server_, nullptr, 0);
	}
	server_ = 0;
	mount_->unmount();
}

void SlowFile::restart()
{
	if (!mount_)
		return;
	end_server();
	mount_->mount();
	start();
}

void SlowFile::end()
{
	if (mount_)
		end_server();
	mount_.reset();
}

} // namespace fuzz
