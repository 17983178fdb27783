// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/attach.h"

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
constexpr char step_attach[] = "PROFIL_ATTACH";
constexpr char step_record[] = "PROFIL_RECORD";

void fail(profil_target &target, int error, const char *step)
{
	target.error = error;
	target.step = step;
}

/** Store the result of the command in its target. */
void finish(Attachment &attachment, int error)
{
	profil_target &target = *attachment.target;

	attachment.proof.close();
	if (error) {
		fail(target, error, attachment.number == PROFIL_RECORD ? step_record : step_attach);
		return;
	}
	target.error = 0;
	target.step = nullptr;
	if (attachment.number == PROFIL_ATTACH)
		target.profile = attachment.start.profile;
}

/**
 * Targets that are attached to, or added to a recording, together.
 *
 * With CAP_PERFMON they share a proof.  Without it, or with an older module, each target
 * needs its own, and all proofs of a batch are open at the same time.
 */
class Batch {
public:
	/**
	 * @param recording to which the targets are added; nullptr: each gets a profile.
	 * @param targets number of targets in all batches.
	 */
	Batch(const Device &device, const Begun *recording, size_t targets)
		: device_(device), recording_(recording), limit_(limit()), share_(targets > 1)
	{
	}

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
	[[nodiscard]] int describe(Attachment &attachment, const profil_target &target) const;
	[[nodiscard]] uint32_t flags_of(const Attachment &attachment) const
	{
		return recording_ ? proof_flags(recording_->flags) : attachment.start.flags;
	}
	[[nodiscard]] const perf_event_attr *event_of(const profil_target &target) const;
	[[nodiscard]] int shared_proof(pid_t pid, uint32_t flags);
	int prove(pid_t pid, uint32_t flags, Fd &proof, const perf_event_attr *event);
	void by_ioctl(Attachment &attachment);
	void end(Attachment &attachment, int error);
	void with_its_own_proof(Attachment &attachment);

	const Device &device_;
	const Begun *const recording_;
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

/** The event that ticks, or nullptr; the target was described. */
const perf_event_attr *Batch::event_of(const profil_target &target) const
{
	profil_spec spec;

	if (recording_)
		return recording_->flags & PROFIL_EVENT ? &recording_->event : nullptr;
	return import_spec(target.spec, spec) ? nullptr : spec.event;
}

/** @return the descriptor of a proof for all processes, or -1. */
int Batch::shared_proof(pid_t pid, uint32_t flags)
{
	const bool kernel = flags & PROFIL_KERNEL_TICKS;

	if (!share_ || pid <= 0)
		return -1;
	if (shared_[kernel].get() < 0 && open_proof_of_everybody(flags, shared_[kernel]))
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

/** The command for a target, without a proof. */
int Batch::describe(Attachment &attachment, const profil_target &target) const
{
	profil_spec spec;

	attachment.number = recording_ ? PROFIL_RECORD : PROFIL_ATTACH;
	if (recording_) {
		attachment.record = {};
		attachment.record.size = sizeof attachment.record;
		attachment.record.flags = recording_->flags & PROFIL_THREAD;
		attachment.record.profile = recording_->profile;
		return 0;
	}
	if (const int error = import_spec(target.spec, spec))
		return error;
	attachment.start = start_command(spec);
	return 0;
}

/* Returns false when no descriptor is free: try again after this batch. */
bool Batch::add(profil_target &target)
{
	Attachment &attachment = all_[nr_];

	target.profile = 0;
	if (const int error = describe(attachment, target)) {
		fail(target, error, step_attach);
		return true;
	}

	Fd proof;
	const uint32_t flags = flags_of(attachment);
	const perf_event_attr *const event = event_of(target);
	/* An event that is the source of ticks must be open on the target itself. */
	const int shared = event ? -1 : shared_proof(target.pid, flags);
	const int error = shared < 0 ? prove(target.pid, flags, proof, event) : 0;

	if (no_descriptor(error) && nr_)
		return false;
	if (error) {
		fail(target, error, step_proof);
		return true;
	}
	nr_++;
	attachment.target = &target;
	attachment.use_proof(shared < 0 ? proof.get() : shared, shared < 0 ? 0 : target.pid);
	attachment.proof = std::move(proof);
	return true;
}

void Batch::by_ioctl(Attachment &attachment)
{
	/* The shared proof may be closed by now. */
	if (attachment.is_shared() && !share_)
		with_its_own_proof(attachment);
	else
		end(attachment, device_.sized(attachment.number, &attachment.start));
}

/*
 * If the shared proof fails, the target's own may work, and otherwise gives the better error.  A
 * target that is in the recording already needs none.
 */
void Batch::end(Attachment &attachment, int error)
{
	if (!error || error == EEXIST || !attachment.is_shared()) {
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

	if (const int error = prove(target.pid, flags_of(attachment), attachment.proof, nullptr)) {
		fail(target, error, step_proof);
		return;
	}
	attachment.use_proof(attachment.proof.get(), 0);
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

long in_batches(const Device &device, const Begun *recording, std::span<profil_target> targets)
{
	Batch batch(device, recording, targets.size());

	for (size_t done = 0; done < targets.size();) {
		done += batch.fill(targets.subspan(done));
		batch.run();
	}
	return std::count_if(targets.begin(), targets.end(),
			     [](const profil_target &target) { return !target.error; });
}

} // namespace

long attach(const Device &device, std::span<profil_target> targets)
{
	return in_batches(device, nullptr, targets);
}

long add(const Device &device, const Begun &recording, std::span<profil_target> targets)
{
	return in_batches(device, &recording, targets);
}

} // namespace libprofil
