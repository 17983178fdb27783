// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/record.h"

#include "libprofil/proof.h"

#include <cerrno>
#include <cstdlib>

namespace libprofil {
namespace {

constexpr char step_record[] = "PROFIL_RECORD";

int prove(pid_t pid, uint32_t flags, Fd &proof, const perf_event_attr *event)
{
	if (flags & PROFIL_RECORD_SELF)
		return 0;
	if (flags & PROFIL_RECORD_EVERYBODY)
		return open_proof_of_everybody(proof_flags(flags), proof, event);
	return open_proof(pid, proof_flags(flags), proof, event);
}

/* Allocate the session's entry first: a recording that has begun must not be lost. */
int begin(profil_session &session, profil_record &record, const perf_event_attr *event)
{
	auto *begun = static_cast<Begun *>(malloc(sizeof(Begun)));

	if (!begun)
		return ENOMEM;
	if (event)
		record.flags |= PROFIL_EVENT;
	if (const int error = session.device.sized(PROFIL_RECORD, &record)) {
		free(begun);
		return error;
	}
	*begun = {record.profile, record.flags, event ? *event : perf_event_attr{}, session.recordings};
	session.recordings = begun;
	return 0;
}

} // namespace

int record(profil_session &session, pid_t pid, profil_record *record, const char **step,
	   const perf_event_attr *event)
{
	Fd proof;

	if (!record)
		return EFAULT;
	if (step)
		*step = "perf_event_open";
	if (const int error = prove(pid, record->flags, proof, event))
		return error;
	record->proof = proof.get();

	const int error = begin(session, *record, event);

	record->proof = -1;
	if (step)
		*step = error ? step_record : nullptr;
	return error;
}

} // namespace libprofil
