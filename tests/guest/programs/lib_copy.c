/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin with its own copy of all of libprofil.a.  -Bsymbolic binds the copy's calls to itself.
 */
#include <profil.h>

const char *copy_version(void);

const char *copy_version(void)
{
	return profil_version();
}
