// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libprofiler.so.0: the interface of gperftools' CPU profiler, on top of <profil/cpu.h>.
 *
 * Programs that are linked with gperftools run unchanged with this library: see its
 * <gperftools/profiler.h>, whose types are declared here again.  All threads are profiled, so there is
 * nothing to do for a thread.  Files are in pprof's present format.
 */
#include "libprofil/caller.h"
#include "libprofil/lock.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <profil.h>
#include <profil/cpu.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ProfilerOptions {
	int (*filter_in_thread)(void *arg);
	void *filter_in_thread_arg;
};

struct ProfilerState {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};

namespace {

constexpr uint32_t usual_hz = 100, most_hz = 4000;

/** Guards what follows, also against signal handlers. */
libprofil::Lock lock;

/** The profile that was started last, and its file. */
struct {
	int fd = -1;
	time_t start_time = 0;
	char name[sizeof(ProfilerState::profile_name)] = "";
} profile;

/** The file of CPUPROFILE, and the number of profiles that its signal has started. */
char signal_path[PATH_MAX];
unsigned signal_starts;

void say(const char *what, const char *why)
{
	char text[PATH_MAX + 320];
	const int length = snprintf(text, sizeof text, "libprofiler: %s: %s\n", what, why);

	if (length > 0)
		syscall(SYS_write, STDERR_FILENO, text,
			static_cast<size_t>(length) < sizeof text ? static_cast<size_t>(length)
								  : sizeof text - 1);
}

/* Not strerror(3), because a signal handler may get here. */
void say_error(const char *what, int error)
{
	char text[256];

	errno = error;
	snprintf(text, sizeof text, "%m");
	say(what, text);
}

/** The rate that is asked for, or the highest that this user may have. */
uint32_t hz_of_environment()
{
	const char *const text = secure_getenv("CPUPROFILE_FREQUENCY");
	const int given = text ? atoi(text) : 0;
	const uint32_t hz = given > 0 ? static_cast<uint32_t>(given) : usual_hz;
	profil_info info = {};

	info.size = sizeof info;
	if (profil_get_info(&info) || !info.period_min)
		return hz < most_hz ? hz : most_hz;

	const uint64_t highest = 1'000'000'000 / info.period_min;

	return hz < highest ? hz : static_cast<uint32_t>(highest);
}

/** Write the whole profile into its file again. */
int write_profile()
{
	if (lseek(profile.fd, 0, SEEK_SET) < 0 && errno != ESPIPE)
		return errno;
	if (profil_cpu_write(profile.fd))
		return errno;

	/* A file of an earlier program may have been longer. */
	const off_t end = lseek(profile.fd, 0, SEEK_CUR);

	return end < 0 || !ftruncate(profile.fd, end) || errno == EINVAL ? 0 : errno;
}

/** True if this process has started it: a child made by fork has a copy of the variables. */
bool is_enabled()
{
	profil_status status = {};

	status.size = sizeof status;
	return profile.fd >= 0 && !profil_cpu_get_status(&status);
}

/** @return 0, or an errno value, which has been reported. */
int start(const char *name)
{
	const profil_cpu_options options = {sizeof options, 0, hz_of_environment(), 0, 0};
	int error = 0;

	if (is_enabled())
		return EALREADY;
	if (strlen(name) >= sizeof profile.name)
		error = ENAMETOOLONG;
	if (!error && profil_cpu_start(&options)) {
		char text[256];

		error = errno;
		say(name, profil_explain(error, "PROFIL_RECORD", text, sizeof text));
		return error;
	}
	if (!error) {
		profile.fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		error = profile.fd < 0 ? errno : 0;
	}
	if (error) {
		(void)profil_cpu_stop();
		say_error(name, error);
		return error;
	}
	profile.start_time = time(nullptr);
	strcpy(profile.name, name);
	return 0;
}

void flush()
{
	if (!is_enabled())
		return;
	if (const int error = write_profile())
		say_error(profile.name, error);
}

void stop()
{
	if (!is_enabled())
		return;
	if (profil_cpu_stop()) {
		say_error(profile.name, errno);
		return;
	}
	flush();
	close(profile.fd);
	profile.fd = -1;
}

/* The first signal starts a profile, the next one stops it, and so on. */
void toggle(int)
{
	const int before = errno;
	const std::lock_guard held(lock);
	char name[PATH_MAX + 16];

	if (is_enabled()) {
		stop();
	} else {
		snprintf(name, sizeof name, "%s.%u", signal_path, signal_starts++);
		(void)start(name);
	}
	errno = before;
}

/* As gperftools, mark the variable for programs that this one executes: they write PATH_PID. */
bool path_of_environment(char *path, size_t bytes)
{
	char *const value = secure_getenv("CPUPROFILE");
	constexpr char mark = static_cast<char>(0x80);

	if (!value || !*value)
		return false;
	if (*value & mark)
		snprintf(path, bytes, "%c%s_%ld", *value & ~mark, value + 1, static_cast<long>(getpid()));
	else
		snprintf(path, bytes, "%s", value);
	*value = static_cast<char>(*value | mark);
	return true;
}

[[gnu::constructor]] void start_from_environment()
{
	const int before = errno;
	const char *const text = secure_getenv("CPUPROFILESIGNAL");
	const int number = text ? atoi(text) : 0;

	if (!path_of_environment(signal_path, sizeof signal_path))
		return;
	if (secure_getenv("CPUPROFILE_REALTIME"))
		say("CPUPROFILE_REALTIME", "not supported: CPU time is profiled");
	if (number) {
		struct sigaction action = {};

		action.sa_handler = toggle;
		action.sa_flags = SA_RESTART;
		if (sigaction(number, &action, nullptr))
			say_error("CPUPROFILESIGNAL", errno);
	} else {
		const std::lock_guard held(lock);

		(void)start(signal_path);
	}
	errno = before;
}

[[gnu::destructor]] void stop_at_exit()
{
	const std::lock_guard held(lock);

	stop();
}

} // namespace

extern "C" {

/** Start a profile.  @return 1, or 0: the file or the profile cannot be made, or one is running. */
PROFIL_EXPORT int ProfilerStart(const char *name)
{
	const std::lock_guard held(lock);

	return !start(name);
}

/** Refuses a filter: it would have to run in a signal handler at each tick, and ticks send no signal. */
PROFIL_EXPORT int ProfilerStartWithOptions(const char *name, const ProfilerOptions *options)
{
	if (options && options->filter_in_thread) {
		say(name, "not profiled: a filter of threads is not supported");
		return 0;
	}
	return ProfilerStart(name);
}

/** Stop the profile and write its file. */
PROFIL_EXPORT void ProfilerStop(void)
{
	const std::lock_guard held(lock);

	stop();
}

/** Write the file as it is now. */
PROFIL_EXPORT void ProfilerFlush(void)
{
	const std::lock_guard held(lock);

	flush();
}

/** All threads are profiled. */
PROFIL_EXPORT void ProfilerRegisterThread(void) {}

/** @return 1 while a profile is running. */
PROFIL_EXPORT int ProfilingIsEnabledForAllThreads(void)
{
	const std::lock_guard held(lock);

	return is_enabled();
}

PROFIL_EXPORT void ProfilerGetCurrentState(ProfilerState *state)
{
	const std::lock_guard held(lock);
	profil_status status = {};

	*state = {};
	status.size = sizeof status;
	if (!is_enabled() || profil_cpu_get_status(&status))
		return;
	state->enabled = 1;
	state->start_time = profile.start_time;
	strcpy(state->profile_name, profile.name);
	state->samples_gathered = static_cast<int>(status.counted < INT_MAX ? status.counted : INT_MAX);
}

/* They have no effect in gperftools either, but old programs call them. */
PROFIL_EXPORT void ProfilerEnable(void) {}
PROFIL_EXPORT void ProfilerDisable(void) {}

} // extern "C"
