// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/explain.h"

#include "libprofil/device.h"
#include "libprofil/number.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <profil.h>
#include <sys/resource.h>

namespace libprofil {
namespace {

/** The buffer for the text. */
struct Text {
	char *at;
	size_t bytes;

	[[gnu::format(printf, 2, 3)]] void say(const char *format, ...) const
	{
		va_list values;

		va_start(values, format);
		vsnprintf(at, bytes, format, values);
		va_end(values);
	}
};

/* kernel.perf_event_paranoid, or -1, which permits everything, if it cannot be read. */
long perf_event_paranoid()
{
	char digits[16] = {};
	const Fd file(static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid",
					       O_RDONLY | O_CLOEXEC, 0)));

	if (!file || syscall(SYS_read, file.get(), digits, sizeof digits - 1) <= 0)
		return -1;
	return number_at(digits);
}

bool module_info(profil_info &info)
{
	Device device;

	info = {};
	info.size = sizeof info;
	return !device.open() && !device.info(&info);
}

/* Level 3 is a Debian extension: only CAP_SYS_ADMIN helps.  At 2, kernel ticks need CAP_PERFMON. */
void not_permitted(const Text &text)
{
	const long paranoid = perf_event_paranoid();

	if (paranoid > 2)
		text.say("permission denied: kernel.perf_event_paranoid is %ld (needs CAP_SYS_ADMIN; or "
			 "'sysctl kernel.perf_event_paranoid=2', and CAP_PERFMON or the same user as the "
			 "process)",
			 paranoid);
	else if (paranoid == 2)
		text.say("permission denied: kernel.perf_event_paranoid is 2 (needs CAP_PERFMON; or the "
			 "same user as the process, and 'sysctl kernel.perf_event_paranoid=1' for kernel "
			 "ticks)");
	else
		text.say("permission denied (needs the same user as the process, or CAP_PERFMON)");
}

void no_memory(const Text &text)
{
	rlimit limit = {};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		text.say("no memory for the counters (use fewer or coarser ones)");
	else
		text.say("the counters cannot be pinned: RLIMIT_MEMLOCK is %llu KiB for all processes "
			 "of this user (raise it with 'ulimit -l', or use fewer or coarser counters)",
			 static_cast<unsigned long long>(limit.rlim_cur / 1024));
}

void over_quota(const Text &text)
{
	profil_info info;

	if (module_info(info))
		text.say("this user's limit of profiles, pinned pages or followed processes is reached: "
			 "%llu of %llu pages are in use (end other profiles, or use fewer counters)",
			 static_cast<unsigned long long>(info.pages_used),
			 static_cast<unsigned long long>(info.pages_max));
	else
		text.say("this user's limit of profiles, pinned pages or followed processes is reached "
			 "(end other profiles, or use fewer counters)");
}

void out_of_range(const Text &text)
{
	profil_info info;

	if (module_info(info) && info.period_min)
		text.say("the module does not sample at this rate: %llu Hz is the most for this user "
			 "(use a lower rate)",
			 static_cast<unsigned long long>(1'000'000'000 / info.period_min));
	else
		text.say("the module does not sample at this rate (use a lower one)");
}

void too_big(const Text &text)
{
	profil_info info;

	if (module_info(info))
		text.say("more regions than the module's limit of %u, or a feature that it does not know "
			 "yet (use fewer regions, or load a newer module)",
			 info.region_max);
	else
		text.say("more regions than the module allows, or a feature that it does not know yet "
			 "(use fewer regions, or load a newer module)");
}

/** Describe an error of perf_event_open(2).  Return false if it has no special meaning there. */
bool explain_proof(int error, const Text &text)
{
	switch (error) {
	case EACCES:
	case EPERM: not_permitted(text); return true;
	case ENOENT:
	case ENOSYS:
		text.say("this kernel has no such event, or no perf events at all (needs "
			 "CONFIG_PERF_EVENTS, and a sandbox that permits perf_event_open)");
		return true;
	default: return false;
	}
}

/** An error whose text never varies. */
struct Sentence {
	int error;
	const char *text;
};

constexpr Sentence sentences[] = {
	{ENODEV, "/dev/profil is missing: the module is not loaded ('profil status' shows how to "
		 "load it)"},
	{ENXIO, "/dev/profil is there, but its module is not loaded ('profil status' shows how to "
		"load it)"},
	{EPROTO, "the loaded module speaks another version of the interface (load the one "
		 "that belongs to libprofil " PROFIL_VERSION ")"},
	{ENOTTY, "/dev/profil does not know this command: it is another device, or the module is too "
		 "old (load the one that belongs to libprofil " PROFIL_VERSION ")"},
	{EACCES, "permission denied: the perf event given as proof does not permit this profile (record "
		 "with the credentials that opened it; kernel ticks need CAP_PERFMON)"},
	{EPERM, "permission denied (ending every profile needs CAP_SYS_ADMIN; only the process that "
		"began a recording may change its table; a container or sandbox may not let this process "
		"open /dev/profil)"},
	{EBUSY,
	 "a limit of the module is reached: the sum of this user's rates, the profiles of the process, "
	 "the recordings of the whole system, or the events sampled at once (end other profiles, or "
	 "use a lower rate)"},
	{EFAULT, "the counters are not in memory that can be written and pinned (needs private or shared "
		 "memory, not a shared file, a device or private huge pages)"},
	{EINVAL, "the description of the profile is not valid (check the alignment, order and overlap "
		 "of its regions), or needs a newer module (load the one that belongs to "
		 "libprofil " PROFIL_VERSION ")"},
	{ESRCH, "no such process: it has ended, or has just executed another program (look up its "
		"current PID)"},
	{ENOENT, "no such profile in this session"},
	{EOPNOTSUPP, "the module does not have this clock (use the default one)"},
	{EMFILE, "too many open files (raise the limit with 'ulimit -n')"},
	{ENFILE, "too many open files on the machine (raise fs.file-max)"},
	{EINTR, "interrupted by a fatal signal"},
};

/*
 * EACCES without a step: the device could not be opened.  PROFIL_RECORD and PROFIL_ADD, the
 * commands with a proof, report their step.
 */
void device_denied(const Text &text)
{
	text.say("permission denied: /dev/profil may not be opened (check 'ls -l /dev/profil', and what the "
		 "container or sandbox permits)");
}

void explain_error(int error, const Text &text)
{
	for (const Sentence &sentence : sentences) {
		if (sentence.error == error) {
			text.say("%s", sentence.text);
			return;
		}
	}
	errno = error;
	text.say("%m");
}

} // namespace

void explain(int error, const char *step, char *at, size_t bytes)
{
	const Text text = {at, bytes};

	if (step && !strcmp(step, "perf_event_open") && explain_proof(error, text))
		return;
	if (error == EACCES && !step)
		return device_denied(text);
	switch (error) {
	case ENOMEM: return no_memory(text);
	case EDQUOT: return over_quota(text);
	case ERANGE: return out_of_range(text);
	case E2BIG: return too_big(text);
	default: return explain_error(error, text);
	}
}

} // namespace libprofil
