/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/profil: the device and its file operations.
 *
 * Context: process
 */
#ifndef PROFIL_DEVICE_H
#define PROFIL_DEVICE_H

int profil_device_init(void);
void profil_device_exit(void);

#endif /* PROFIL_DEVICE_H */
