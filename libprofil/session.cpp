// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/session.h"

#include <cerrno>
#include <cstdlib>
#include <new>

/* malloc() and placement new: operator new would need the C++ runtime. */
int profil_session::create(profil_session *&session)
{
	void *memory = malloc(sizeof(profil_session));

	if (!memory)
		return ENOMEM;

	auto *made = new (memory) profil_session;
	const int error = made->device.open();

	if (error)
		destroy(made);
	else
		session = made;
	return error;
}

void profil_session::destroy(profil_session *session)
{
	while (session->recordings)
		session->forget(session->recordings->profile);
	session->~profil_session();
	free(session);
}

const libprofil::Begun *profil_session::begun(uint32_t profile) const
{
	const libprofil::Begun *one = recordings;

	while (one && one->profile != profile)
		one = one->next;
	return one;
}

void profil_session::forget(uint32_t profile)
{
	libprofil::Begun **link = &recordings;

	while (*link && (*link)->profile != profile)
		link = &(*link)->next;
	if (libprofil::Begun *const one = *link) {
		*link = one->next;
		free(one);
	}
}
