// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/add.h"

#include "libprofil/proof.h"
#include "libprofil/record.h"
#include "libprofil/ring.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/resource.h>

namespace libprofil {
namespace {

constexpr char step_proof[] = "perf_event_open";
constexpr char step_add[] = "PROFIL_ADD";

void fail(profil_target &target, int error, const char *step)
{
	target.error = error;
	target.step = step;
}

/** Store the result of the command in its target. */
void finish(Addition &addition, int error)
{
	profil_target &target = *addition.target;

	addition.proof.close();
	if (error) {
		fail(target, error, step_add);
		return;
	}
	target.error = 0;
	target.step = nullptr;
}

/**
 * Targets that are added together.
 *
 * With CAP_PERFMON they share a proof.  Without it, each target needs a proof of its own, and all
 * proofs of a batch are open at the same time.
 */
class Batch {
public:
	/** @param targets number of targets in all batches. */
	Batch(const Device &device, const Begun &recording, size_t targets)
		: device_(device), recording_(recording), flags_(proof_flags(recording.flags)),
		  event_(recording.flags & PROFIL_EVENT ? &recording.event : nullptr), limit_(limit()),
		  /* An event that is the source of ticks must be open on each target itself. */
		  share_(targets > 1 && !event_)
	{
	}

	/**
	 * Take as many targets as fit.  A target that fails gets its error here.
	 * @return the number taken.
	 */
	size_t fill(std::span<profil_target> targets);

	/** Add the targets that were taken. */
	void run();

private:
	static constexpr size_t most = 128;

	static size_t limit();
	bool add(profil_target &target);
	[[nodiscard]] int shared_proof(pid_t pid);
	int prove(pid_t pid, Fd &proof);
	void by_ioctl(Addition &addition);
	void end(Addition &addition, int error);
	void with_its_own_proof(Addition &addition);

	const Device &device_;
	const Begun &recording_;
	const uint32_t flags_; /* for open_proof() */
	const perf_event_attr *const event_;
	Ring ring_; /* shared by all batches: setting up a ring takes longer than many commands */
	const size_t limit_;
	bool share_;
	Fd shared_;
	size_t nr_ = 0;
	std::array<Addition, most> all_ = {};
};

/* At most half of RLIMIT_NOFILE: other threads need descriptors too. */
size_t Batch::limit()
{
	rlimit files = {};

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur / 2 >= most)
		return most;
	return files.rlim_cur < 4 ? 1 : files.rlim_cur / 2;
}

size_t Batch::fill(std::span<profil_target> targets)
{
	size_t taken = 0;

	while (taken < targets.size() && nr_ < limit_ && add(targets[taken]))
		taken++;
	return taken;
}

bool no_descriptor(int error)
{
	return error == EMFILE || error == ENFILE;
}

/** @return the descriptor of the shared proof, which is on a CPU, or -1. */
int Batch::shared_proof(pid_t pid)
{
	if (!share_ || pid <= 0)
		return -1;
	if (!shared_ && open_proof_of_everybody(flags_, shared_))
		share_ = false;
	return shared_.get();
}

/*
 * If no descriptor is free even for an empty batch, the ring and the shared proof may hold
 * the last ones: close both and try again.
 */
int Batch::prove(pid_t pid, Fd &proof)
{
	const int error = open_proof(pid, flags_, proof, event_);

	if (!no_descriptor(error) || nr_)
		return error;
	ring_.close();
	share_ = false;
	shared_.close();
	return open_proof(pid, flags_, proof, event_);
}

/* Returns false when no descriptor is free: try again after this batch. */
bool Batch::add(profil_target &target)
{
	Fd proof;
	const int shared = shared_proof(target.pid);
	const int error = shared < 0 ? prove(target.pid, proof) : 0;

	if (no_descriptor(error) && nr_)
		return false;
	if (error) {
		fail(target, error, step_proof);
		return true;
	}

	Addition &addition = all_[nr_++];

	addition.target = &target;
	addition.command = {};
	addition.command.size = sizeof addition.command;
	addition.command.profile = recording_.profile;
	addition.command.proof = shared < 0 ? proof.get() : shared;
	addition.command.target = shared < 0 ? 0 : target.pid;
	addition.proof = std::move(proof);
	return true;
}

void Batch::by_ioctl(Addition &addition)
{
	/* The shared proof may be closed by now. */
	if (addition.command.target && !share_)
		with_its_own_proof(addition);
	else
		end(addition, device_.sized(PROFIL_ADD, &addition.command));
}

/*
 * If the shared proof fails, a proof on the target itself may work; if not, its error says more.
 * A target that is already in the recording needs no proof.
 */
void Batch::end(Addition &addition, int error)
{
	if (!error || error == EEXIST || !addition.command.target) {
		finish(addition, error);
		return;
	}
	/* The caller lacks CAP_PERFMON. */
	if (error == EACCES)
		share_ = false;
	with_its_own_proof(addition);
}

void Batch::with_its_own_proof(Addition &addition)
{
	profil_target &target = *addition.target;

	if (const int error = prove(target.pid, addition.proof)) {
		fail(target, error, step_proof);
		return;
	}
	addition.command.proof = addition.proof.get();
	addition.command.target = 0;
	by_ioctl(addition);
}

/*
 * Use a ring for two or more targets.  Fall back to ioctl where io_uring is not available
 * (kernel.io_uring_disabled, seccomp), and for commands that the ring did not take, that it refused
 * as unknown, or whose completion it could not wait for.  A command that failed had no effect, so
 * repeating it is safe, and its error then comes from the module itself.
 */
void Batch::run()
{
	const std::span<Addition> taken(all_.data(), nr_);

	nr_ = 0;
	if (taken.size() < 2 || ring_.open(taken.size())) {
		for (Addition &addition : taken)
			by_ioctl(addition);
		return;
	}

	std::array<int, most> errors;
	const std::span<int> results(errors.data(), taken.size());

	ring_.run(device_, taken, results);
	for (size_t i = 0; i < taken.size(); i++) {
		if (results[i] == ECANCELED || results[i] == EOPNOTSUPP || results[i] == EINVAL ||
		    results[i] == EAGAIN)
			by_ioctl(taken[i]);
		else
			end(taken[i], results[i]);
	}
}

} // namespace

long add(const Device &device, const Begun &recording, std::span<profil_target> targets)
{
	Batch batch(device, recording, targets.size());

	for (size_t done = 0; done < targets.size();) {
		done += batch.fill(targets.subspan(done));
		batch.run();
	}
	return std::count_if(targets.begin(), targets.end(),
			     [](const profil_target &target) { return !target.error; });
}

} // namespace libprofil
