// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/cpu/cpu.h"

#include "libprofil/cpu/pprof.h"
#include "libprofil/cpu/recording.h"
#include "libprofil/lock.h"
#include "libprofil/whole_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <pthread.h>
#include <unistd.h>

namespace libprofil {
namespace {

constexpr uint32_t usual_hz = 100;
constexpr uint32_t usual_places = 16384;
constexpr uint32_t all_flags = PROFIL_CPU_CHILDREN | PROFIL_CPU_THREADS;
constexpr uint64_t second = 1'000'000'000;
constexpr size_t most_bytes = 4096; /* of a caller's structure */

enum class State { none, running, paused, stopped };

/** The process's profile. */
struct CpuProfile {
	State state = State::none;
	pid_t owner = 0; /**< the process that started it */
	/** In a page that fork wipes: nonzero if this is not a child's copy.  nullptr: no memory. */
	uint32_t *mine = nullptr;
	uint32_t flags = 0;	    /**< of PROFIL_RECORD */
	uint32_t places = 0;	    /**< elements of the next table */
	uint64_t since = 0;	    /**< when it last began to run, as clock_now(CLOCK_MONOTONIC) */
	CpuTimes times = {};	    /**< without the time since then */
	profil_status account = {}; /**< of the recordings that have ended */
	CpuSamples samples;
	CpuRecording recording;
};

/* Made by the first start, and never freed: at exit, other threads may still use it. */
CpuProfile *the_profile;
Lock profile_lock;

uint64_t clock_now(clockid_t clock)
{
	timespec now = {};

	clock_gettime(clock, &now);
	return static_cast<uint64_t>(now.tv_sec) * second + static_cast<uint64_t>(now.tv_nsec);
}

void forget_samples(CpuProfile &profile)
{
	profile.samples.texts.clear();
	profile.samples.counts.clear();
	profile.account = {};
}

/** Forget the profile of the parent, in a child made by fork. */
void forget(CpuProfile &profile)
{
	profile.state = State::none;
	profile.recording.drop();
	forget_samples(profile);
}

/* A child of vfork shares its parent's memory, and so the profile. */
bool is_copy(const CpuProfile &profile)
{
	return profile.state != State::none && (profile.mine ? !*profile.mine : profile.owner != getpid());
}

/**
 * Lets one thread at a time use the profile.  The thread cannot be cancelled meanwhile, and gets no
 * signals.  Not held while a file is written, which may take long.
 */
class Holder {
public:
	Holder()
	{
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
		profile_lock.lock();
		/* Closing the descriptor does not end the parent's recording. */
		if (the_profile && is_copy(*the_profile))
			forget(*the_profile);
	}
	Holder(const Holder &) = delete;
	Holder &operator=(const Holder &) = delete;
	~Holder()
	{
		profile_lock.unlock();
		pthread_setcancelstate(before_, nullptr);
	}

	/** The profile; nullptr if none was started. */
	[[nodiscard]] CpuProfile *profile() const
	{
		return the_profile && the_profile->state != State::none ? the_profile : nullptr;
	}
	/** Allocate the profile, once.  @return it; nullptr without memory. */
	[[nodiscard]] static CpuProfile *make()
	{
		if (!the_profile) {
			void *const memory = map_zeroes(sizeof(CpuProfile));

			the_profile = memory ? new (memory) CpuProfile : nullptr;
			if (the_profile)
				the_profile->mine =
					static_cast<uint32_t *>(map_wiped_by_fork(sizeof(uint32_t)));
		}
		return the_profile;
	}

private:
	int before_ = 0;
};

/** Read the caller's options, of any version, into ours. */
int read_options(const profil_cpu_options *given, profil_cpu_options &options)
{
	options = {};
	if (given) {
		const auto *const bytes = reinterpret_cast<const char *>(given);

		if (given->size < sizeof options)
			return EINVAL;
		if (given->size > most_bytes ||
		    !std::all_of(bytes + sizeof options, bytes + given->size, [](char one) { return !one; }))
			return E2BIG;
		options = *given;
	}
	options.hz = options.hz ? options.hz : usual_hz;
	options.places = options.places ? options.places : usual_places;
	if (options.flags & ~all_flags || options.reserved || options.hz > second ||
	    !std::has_single_bit(options.places) || options.places < least_places ||
	    options.places > most_places)
		return EINVAL;
	/* A child has no threads that have asked. */
	return options.flags == all_flags ? EINVAL : 0;
}

uint32_t recording_flags(uint32_t flags)
{
	return PROFIL_KERNEL_TICKS | (flags & PROFIL_CPU_CHILDREN ? uint32_t{PROFIL_FOLLOW} : 0U) |
	       (flags & PROFIL_CPU_THREADS ? uint32_t{PROFIL_THREAD} : 0U);
}

/** Begin a recording. */
int run(CpuProfile &profile, uint32_t flags, uint64_t period, uint32_t places)
{
	const int error = profile.recording.begin(flags, period, places);

	if (error)
		return error;
	profile.state = State::running;
	profile.since = clock_now(CLOCK_MONOTONIC);
	return 0;
}

uint64_t time_running(const CpuProfile &profile)
{
	return profile.state == State::running ? clock_now(CLOCK_MONOTONIC) - profile.since : 0;
}

/** End the recording.  If memory is lacking, the profile is still running, but nothing counts. */
int rest(CpuProfile &profile, State state)
{
	if (profile.state == State::running) {
		const uint64_t ran = time_running(profile);

		if (const int error = profile.recording.end(profile.samples, profile.account))
			return error;
		profile.times.duration += ran;
		profile.places = profile.recording.places();
	}
	profile.state = state;
	return 0;
}

/** Take the samples.  If a second table is too much for the user's limits, begin again with half of one. */
int take(CpuProfile &profile)
{
	const int error = profile.recording.take(profile.samples);

	/* Threads that have asked to be counted would have to ask again. */
	if ((error != ENOMEM && error != EDQUOT) || profile.flags & PROFIL_THREAD)
		return error;
	if (const int kept = rest(profile, State::paused))
		return kept;
	return run(profile, profile.flags, profile.times.period, std::max(profile.places / 2, least_places));
}

/** The account of all ticks until now. */
int account_of(const CpuProfile &profile, profil_status &account)
{
	profil_status now = {};

	account = profile.account;
	if (profile.state != State::running)
		return 0;
	if (const int error = profile.recording.status(now))
		return error;
	add_account(account, now);
	return 0;
}

int encode(Message &file)
{
	const Holder holder;
	CpuProfile *const profile = holder.profile();

	if (!profile)
		return ENOENT;

	CpuTimes times = profile->times;
	profil_status account;

	times.duration += time_running(*profile);
	if (profile->state == State::running) {
		if (const int error = take(*profile))
			return error;
	}
	if (const int error = account_of(*profile, account))
		return error;
	return encode_pprof(file, profile->samples, account, times) ? 0 : ENOMEM;
}

/* Not write(2) of libc: a thread that is cancelled there would leak the file. */
int write_all(int fd, std::string_view bytes)
{
	while (!bytes.empty()) {
		const long written = syscall(SYS_write, fd, bytes.data(), bytes.size());

		if (written < 0 && errno != EINTR)
			return errno;
		if (written > 0)
			bytes.remove_prefix(static_cast<size_t>(written));
	}
	return 0;
}

} // namespace

int start_cpu_profile(const profil_cpu_options *given)
{
	const Holder holder;
	profil_cpu_options options;

	if (const int error = read_options(given, options))
		return error;
	if (holder.profile() && holder.profile()->state != State::stopped)
		return EALREADY;

	CpuProfile *const profile = Holder::make();
	const uint32_t flags = recording_flags(options.flags);
	const uint64_t period = second / options.hz;

	if (!profile)
		return ENOMEM;
	/* If this fails, the samples of an earlier profile are still there. */
	if (const int error = run(*profile, flags, period, options.places))
		return error;
	forget_samples(*profile);
	profile->owner = getpid();
	if (profile->mine)
		*profile->mine = 1;
	profile->flags = flags;
	profile->places = options.places;
	profile->times = {clock_now(CLOCK_REALTIME), 0, period};
	return 0;
}

int stop_cpu_profile()
{
	const Holder holder;

	return holder.profile() ? rest(*holder.profile(), State::stopped) : 0;
}

int pause_cpu_profile()
{
	const Holder holder;
	CpuProfile *const profile = holder.profile();

	return profile && profile->state == State::running ? rest(*profile, State::paused) : 0;
}

int resume_cpu_profile()
{
	const Holder holder;
	CpuProfile *const profile = holder.profile();

	if (!profile || profile->state == State::stopped)
		return ENOENT;
	return profile->state == State::paused
		       ? run(*profile, profile->flags, profile->times.period, profile->places)
		       : 0;
}

int add_cpu_thread()
{
	const Holder holder;
	CpuProfile *const profile = holder.profile();

	return profile && profile->state == State::running ? profile->recording.add_thread() : ENOENT;
}

int write_cpu_profile(int fd)
{
	Message file;

	if (const int error = encode(file))
		return error;
	return write_all(fd, file.bytes());
}

int save_cpu_profile(const char *path)
{
	Message file;
	WholeFile whole;

	if (const int error = encode(file))
		return error == ENOENT ? 0 : error;
	if (const int error = whole.create(path))
		return error;
	return whole.finish(write_all(whole.fd(), file.bytes()));
}

int cpu_profile_status(profil_status *status)
{
	const Holder holder;
	profil_status account;

	if (!status)
		return EFAULT;

	const uint32_t size = status->size;

	if (size < sizeof account)
		return EINVAL;
	if (size > most_bytes)
		return E2BIG;
	if (!holder.profile())
		return ENOENT;
	if (const int error = account_of(*holder.profile(), account))
		return error;
	memset(static_cast<void *>(status), 0, size);
	*status = account;
	status->size = size;
	status->profile = 0;
	return 0;
}

} // namespace libprofil
