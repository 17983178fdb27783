// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/kernel_log.cpp  Marks in the kernel's log where each test case begins and ends, so
 * that scripts/guest-tests knows which test caused a warning, a hang or a panic.
 */
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "tests/support/catch.h"

#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

class KernelLog : public Catch::EventListenerBase {
public:
	/* The type of the argument depends on Catch2's version. */
	template <typename Config> explicit KernelLog(Config &&config) : Catch::EventListenerBase(config)
	{
		fd_ = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
		if (fd_ < 0)
			throw std::runtime_error(
				"guest tests: cannot write to /dev/kmsg: run them as root in "
				"a guest, with make check-guest");
	}

	~KernelLog() override { close(fd_); }

	void testCaseStarting(const Catch::TestCaseInfo &test) override
	{
		Catch::EventListenerBase::testCaseStarting(test);
		name_ = test.name;
		say("start");
	}

	void testCaseEnded(const Catch::TestCaseStats &stats) override
	{
		say("end");
		Catch::EventListenerBase::testCaseEnded(stats);
	}

private:
	void say(std::string_view what) const
	{
		const auto line = "profil-test: " + std::string(what) + ' ' + name_ + '\n';

		if (write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
			FAIL("cannot write to the kernel's log");
	}

	int fd_;
	std::string name_;
};

CATCH_REGISTER_LISTENER(KernelLog)

} // namespace
