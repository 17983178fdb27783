// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/record.h"

#include "libprofil/proof.h"

#include <cerrno>

namespace libprofil {
namespace {

/* The proof must permit sampling the kernel only if kernel ticks count at a place. */
int prove(pid_t pid, const profil_record &record, Fd &proof, const perf_event_attr *event)
{
	const bool places = record.flags & (PROFIL_RECORD_KERNEL | PROFIL_KERNEL_TICKS);
	const uint32_t kernel = places ? PROFIL_KERNEL_TICKS : 0;
	const uint32_t thread = record.flags & PROFIL_THREAD;

	if (record.flags & (PROFIL_RECORD_TABLE | PROFIL_RECORD_NEWS))
		return 0;
	if (record.flags & PROFIL_RECORD_EVERYBODY)
		return open_proof_of_everybody(kernel, proof, event);
	/*
	 * Only the module knows whether the recording to which the process is added samples the
	 * kernel.  So prefer a proof that permits it.
	 */
	if (record.profile && !open_proof(pid, thread | PROFIL_KERNEL_TICKS, proof, event))
		return 0;
	return open_proof(pid, thread | kernel, proof, event);
}

} // namespace

int record(const Device &device, pid_t pid, profil_record *record, const char **step,
	   const perf_event_attr *event)
{
	Fd proof;

	if (!record)
		return EFAULT;
	if (step)
		*step = "perf_event_open";
	if (const int error = prove(pid, *record, proof, event))
		return error;
	record->proof = proof.get();
	if (event && !record->profile)
		record->flags |= PROFIL_EVENT;

	const int error = device.sized(PROFIL_RECORD, record);

	record->proof = -1;
	if (step)
		*step = error ? "PROFIL_RECORD" : nullptr;
	return error;
}

} // namespace libprofil
