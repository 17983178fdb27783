/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exits with 0 if this program is not profiled and has no samples after exec. */
#include <pcsample.h>
#include <profil.h>
#include <stddef.h>

int main(void)
{
	struct profil_status status = {0};

	status.size = sizeof status;
	if (profil_self_get_status(&status))
		return 2;
	if (status.state != PROFIL_STATE_NONE || status.ticks)
		return 3;
	return pcsample(NULL, 0) == 0 ? 0 : 4;
}
