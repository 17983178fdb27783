// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/explain.cpp  Errors in words: what failed, why, and the next step. */
#include "tests/support/catch.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <profil.h>
#include <set>
#include <sys/resource.h>

using Catch::Matchers::ContainsSubstring;

namespace {

std::string explain(int error, const char *step = nullptr)
{
	char text[512];

	CHECK(profil_explain(error, step, text, sizeof text) == text);
	return text;
}

constexpr char proof[] = "perf_event_open";
constexpr char record[] = "PROFIL_RECORD";

} // namespace

TEST_CASE("the error for a missing permission names the sysctl with its value and the capability",
	  "[explain]")
{
	int paranoid = -1;
	std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;

	const std::string named =
		paranoid < 2 ? "denied" : "kernel.perf_event_paranoid is " + std::to_string(paranoid);

	for (const int error : {EACCES, EPERM}) {
		CHECK_THAT(explain(error, proof), ContainsSubstring(named));
		CHECK_THAT(explain(error, proof), ContainsSubstring("CAP_PERFMON"));
		CHECK_THAT(explain(error, proof), ContainsSubstring("same user"));
	}
	CHECK_THAT(explain(EACCES, record),
		   !ContainsSubstring("paranoid") && ContainsSubstring("credentials"));
	CHECK_THAT(explain(EPERM), ContainsSubstring("CAP_SYS_ADMIN"));
}

TEST_CASE("a device that may not be opened is not reported as a proof that does not permit", "[explain]")
{
	CHECK_THAT(explain(EACCES), !ContainsSubstring("proof") && ContainsSubstring("ls -l /dev/profil") &&
					    ContainsSubstring("container"));
	CHECK_THAT(explain(EPERM), ContainsSubstring("open /dev/profil"));
}

TEST_CASE("the error for a missing module says how to load it", "[explain]")
{
	for (const int error : {ENODEV, ENXIO}) {
		CHECK_THAT(explain(error), ContainsSubstring("/dev/profil"));
		CHECK_THAT(explain(error), ContainsSubstring("'profil status' shows how to load it"));
	}
	CHECK_THAT(explain(EPROTO), ContainsSubstring("libprofil " PROFIL_VERSION));
}

TEST_CASE("the error for memory that cannot be pinned names the limit with its value", "[explain]")
{
	rlimit before;
	rlimit limit;

	REQUIRE(getrlimit(RLIMIT_MEMLOCK, &before) == 0);
	limit = before;
	limit.rlim_cur = std::min<rlim_t>(before.rlim_max, 65536);
	REQUIRE(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	CHECK_THAT(explain(ENOMEM),
		   ContainsSubstring("RLIMIT_MEMLOCK is 64 KiB") && ContainsSubstring("ulimit -l"));
	REQUIRE(setrlimit(RLIMIT_MEMLOCK, &before) == 0);
}

TEST_CASE("the error for a process that is gone says so", "[explain]")
{
	CHECK_THAT(explain(ESRCH, proof), ContainsSubstring("no such process"));
	CHECK_THAT(explain(ESRCH, record), ContainsSubstring("no such process"));
}

TEST_CASE("every documented error is one line with a text of its own", "[explain]")
{
	std::set<std::string> texts;
	const int errors[] = {E2BIG,  EACCES, EBUSY,  EDQUOT, EFAULT, EINTR,  EINVAL, EMFILE, ENODEV,
			      ENOENT, ENOMEM, ENOTTY, ENXIO,  EPERM,  EPROTO, ERANGE, ESRCH,  EOPNOTSUPP};

	for (const int error : errors) {
		const std::string text = explain(error);

		INFO(text);
		CHECK(text.size() > 20);
		CHECK(text.find('\n') == std::string::npos);
		CHECK(texts.insert(text).second);
	}
	CHECK(explain(EXDEV) == strerror(EXDEV));
}

TEST_CASE("the text is cut to the buffer, terminated, and errno is left alone", "[explain]")
{
	char text[8] = "xxxxxxx";

	errno = EXDEV;
	CHECK(profil_explain(ENODEV, nullptr, text, 5) == text);
	CHECK(errno == EXDEV);
	CHECK(std::string(text) == "/dev");
	CHECK(text[5] == 'x');
	CHECK(profil_explain(ENODEV, nullptr, text, 0) == text);
	CHECK(text[0] == '/');
}
