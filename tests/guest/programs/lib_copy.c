/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plugin that brings its own libprofil.a along, with all its functions; they call one another. */
#include <profil.h>

const char *copy_version(void);

const char *copy_version(void)
{
	return profil_version();
}
