// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/attach.h"

#include "libprofil/proof.h"
#include "libprofil/ring.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/resource.h>

namespace libprofil {
namespace {

constexpr char step_proof[] = "perf_event_open";
constexpr char step_attach[] = "PROFIL_ATTACH";

void fail(profil_target &target, int error, const char *step)
{
	target.error = error;
	target.step = step;
	target.profile = 0;
}

/** Store the result of the command in its target. */
void finish(Attachment &attachment, int error)
{
	profil_target &target = *attachment.target;

	attachment.proof.close();
	if (error) {
		fail(target, error, step_attach);
		return;
	}
	target.error = 0;
	target.step = nullptr;
	target.profile = attachment.command.profile;
}

/**
 * Targets that are attached together.
 *
 * With CAP_PERFMON they share a proof.  Without it, or with an older module, each target
 * needs its own, and all proofs of a batch are open at the same time.
 */
class Batch {
public:
	/** @param targets number of targets in all batches. */
	Batch(const Device &device, size_t targets) : device_(device), limit_(limit()), share_(targets > 1) {}

	/**
	 * Take as many targets as fit.  A target that fails gets its error here.
	 * @return the number taken.
	 */
	size_t fill(std::span<profil_target> targets);

	/** Attach the targets that were taken. */
	void run();

private:
	static constexpr size_t most = 128;

	static size_t limit();
	bool add(profil_target &target);
	[[nodiscard]] int shared_proof(pid_t pid, const profil_spec &spec);
	int prove(pid_t pid, uint32_t flags, Fd &proof, const perf_event_attr *event = nullptr);
	void by_ioctl(Attachment &attachment);
	void end(Attachment &attachment, int error);
	void with_its_own_proof(Attachment &attachment);

	const Device &device_;
	Ring ring_; /* one for all batches: making one takes longer than many attaches */
	const size_t limit_;
	bool share_;
	std::array<Fd, 2> shared_; /* without and with kernel ticks */
	size_t nr_ = 0;
	std::array<Attachment, most> all_ = {};
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

/** @return the descriptor of a proof for all processes, or -1. */
int Batch::shared_proof(pid_t pid, const profil_spec &spec)
{
	const bool kernel = spec.flags & PROFIL_KERNEL_TICKS;

	/* An event that is the source of ticks must be open on the target itself. */
	if (!share_ || spec.event || pid <= 0)
		return -1;
	if (shared_[kernel].get() < 0 && open_proof_of_everybody(spec.flags, shared_[kernel]))
		share_ = false;
	return shared_[kernel].get();
}

/*
 * If no descriptor is free even for an empty batch, the ring or the shared proofs may hold
 * the last ones: close them and try again.
 */
int Batch::prove(pid_t pid, uint32_t flags, Fd &proof, const perf_event_attr *event)
{
	const int error = open_proof(pid, flags, proof, event);

	if (!no_descriptor(error) || nr_)
		return error;
	ring_.close();
	share_ = false;
	for (Fd &shared : shared_)
		shared.close();
	return open_proof(pid, flags, proof, event);
}

/* Returns false when no descriptor is free: try again after this batch. */
bool Batch::add(profil_target &target)
{
	profil_spec spec;

	if (const int error = import_spec(target.spec, spec)) {
		fail(target, error, step_attach);
		return true;
	}

	Fd proof;
	const int shared = shared_proof(target.pid, spec);
	const int error = shared < 0 ? prove(target.pid, spec.flags, proof, spec.event) : 0;

	if (no_descriptor(error) && nr_)
		return false;
	if (error) {
		fail(target, error, step_proof);
		return true;
	}

	Attachment &attachment = all_[nr_++];

	attachment.target = &target;
	attachment.command = start_command(spec);
	attachment.command.proof = shared < 0 ? proof.get() : shared;
	attachment.command.target = shared < 0 ? 0 : target.pid;
	attachment.proof = std::move(proof);
	return true;
}

void Batch::by_ioctl(Attachment &attachment)
{
	/* The shared proof may be closed by now. */
	if (attachment.command.target && !share_)
		with_its_own_proof(attachment);
	else
		end(attachment, device_.start(PROFIL_ATTACH, attachment.command));
}

/* If the shared proof fails, the target's own may work, and otherwise gives the better error. */
void Batch::end(Attachment &attachment, int error)
{
	if (!error || !attachment.command.target) {
		finish(attachment, error);
		return;
	}
	/* The caller lacks CAP_PERFMON, or the module is too old for a shared proof. */
	if (error == EACCES || error == E2BIG)
		share_ = false;
	with_its_own_proof(attachment);
}

void Batch::with_its_own_proof(Attachment &attachment)
{
	profil_target &target = *attachment.target;

	if (const int error = prove(target.pid, attachment.command.flags, attachment.proof)) {
		fail(target, error, step_proof);
		return;
	}
	attachment.command.proof = attachment.proof.get();
	attachment.command.target = 0;
	by_ioctl(attachment);
}

/*
 * Use a ring for two or more targets.  Fall back to ioctl where io_uring is not available
 * (kernel.io_uring_disabled, seccomp), and for commands that the ring did not take, that it refused
 * as unknown, or whose completion it could not wait for.  A command that failed had no effect, so
 * repeating it is safe, and its error then comes from the module itself.
 */
void Batch::run()
{
	const std::span<Attachment> taken(all_.data(), nr_);

	nr_ = 0;
	if (taken.size() < 2 || ring_.open(taken.size())) {
		for (Attachment &attachment : taken)
			by_ioctl(attachment);
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

long attach(const Device &device, std::span<profil_target> targets)
{
	Batch batch(device, targets.size());

	for (size_t done = 0; done < targets.size();) {
		done += batch.fill(targets.subspan(done));
		batch.run();
	}
	return std::count_if(targets.begin(), targets.end(),
			     [](const profil_target &target) { return !target.error; });
}

} // namespace libprofil
