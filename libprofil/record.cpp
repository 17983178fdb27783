// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/record.h"

#include "libprofil/proof.h"

#include <cerrno>

namespace libprofil {
namespace {

/* Ticks in kernel mode count at no address: no right to see the kernel is needed. */
int prove(pid_t pid, uint32_t flags, Fd &proof)
{
	if (flags & PROFIL_RECORD_TABLE)
		return 0;
	return flags & PROFIL_RECORD_EVERYBODY ? open_proof_of_everybody(proof) : open_proof(pid, 0, proof);
}

} // namespace

int record(const Device &device, pid_t pid, profil_record *record, const char **step)
{
	Fd proof;

	if (!record)
		return EFAULT;
	if (step)
		*step = "perf_event_open";
	if (const int error = prove(pid, record->flags, proof))
		return error;
	record->proof = proof.get();

	const int error = device.sized(PROFIL_RECORD, record);

	record->proof = -1;
	if (step)
		*step = error ? "PROFIL_RECORD" : nullptr;
	return error;
}

} // namespace libprofil
