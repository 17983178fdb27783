// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon/names.h"

#include "libprofil/device.h"
#include "libprofil/flavours/classic.h"
#include "libprofil/number.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace libprofil {

constexpr long rate_max = 1'000'000'000;
constexpr char owner_name[] = "PROFIL_GMON_OWNER";

pid_t first_process()
{
	const char *const owner = secure_getenv(owner_name);
	const pid_t self = getpid();
	char own[24];

	snprintf(own, sizeof own, "%ld", static_cast<long>(self));
	if (owner)
		return strcmp(owner, own) ? -1 : self;
	/* If this fails for lack of memory, programs executed later do not know the owner. */
	setenv(owner_name, own, 1);
	return self;
}

void say(const char *what, const char *why, int error)
{
	char text[512];

	errno = error;

	const int length = why ? snprintf(text, sizeof text, "libprofil: %s: %s\n", what, why)
			       : snprintf(text, sizeof text, "libprofil: %s: %m\n", what);

	/* Not write(3), a cancellation point.  A failure has nowhere to be reported. */
	if (length > 0)
		syscall(SYS_write, STDERR_FILENO, text,
			std::min(static_cast<size_t>(length), sizeof text - 1));
}

/* The shortest period that this user may have, in ns; 1 if it is unknown. */
static uint64_t shortest_period()
{
	Device device;
	profil_info info = {};

	info.size = sizeof info;
	return device.open() || device.info(&info) || !info.period_min ? 1 : info.period_min;
}

static void say_rate(const char *rate, const char *wrong, unsigned hz)
{
	char what[96], why[96];

	snprintf(what, sizeof what, "PROFIL_RATE=%s", rate);
	snprintf(why, sizeof why, "%s; using %u", wrong, hz);
	say(what, why, 0);
}

uint32_t wanted_rate()
{
	const char *const text = secure_getenv("PROFIL_RATE");
	const char *end = nullptr;

	if (!text || !*text)
		return classic_hz;

	const long hz = number_at(text, &end);

	if (*end || *text < '0' || *text > '9' || hz <= 0 || hz > rate_max) {
		say_rate(text, "not a rate in Hz", classic_hz);
		return classic_hz;
	}
	if (const uint64_t shortest = shortest_period();
	    static_cast<uint64_t>(1'000'000'000 / hz) < shortest) {
		const auto most = static_cast<uint32_t>(1'000'000'000 / shortest);

		say_rate(text, "above this user's limit", most);
		return most;
	}
	return static_cast<uint32_t>(hz);
}

int gmon_path(pid_t first, const char *object, size_t number, char *path, size_t bytes)
{
	const char *const prefix = secure_getenv("GMON_OUT_PREFIX");
	const bool has_prefix = prefix && *prefix;
	char process[24] = "", which[24] = "";

	if (has_prefix || getpid() != first)
		snprintf(process, sizeof process, ".%ld", static_cast<long>(getpid()));
	if (number > 1)
		snprintf(which, sizeof which, ".%zu", number);

	const int length = snprintf(path, bytes, "%s%s%s%s%s", has_prefix ? prefix : "gmon.out", process,
				    *object ? "." : "", object, which);

	return length < 0 || static_cast<size_t>(length) >= bytes ? ENAMETOOLONG : 0;
}

} // namespace libprofil
