/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording that has ended, but whose numbers are kept for the reader.
 *
 * Context: process
 */
#ifndef PROFIL_KEPT_H
#define PROFIL_KEPT_H

struct profil_recording;

void profil_recording_charge(struct profil_recording *recording);
int profil_recording_keep(struct profil_recording *recording);
void profil_recording_end(struct profil_recording *recording);

#endif /* PROFIL_KEPT_H */
