/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plugin with its own copy of all of libprofil.a, whose functions call one another. */
#include <profil.h>

const char *copy_version(void);

const char *copy_version(void)
{
	return profil_version();
}
