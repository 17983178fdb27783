/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The attributes of /dev/profil in sysfs.
 *
 * Context: process
 */
#ifndef PROFIL_SYSFS_H
#define PROFIL_SYSFS_H

struct attribute_group;

extern const struct attribute_group *profil_sysfs_groups[];

#endif /* PROFIL_SYSFS_H */
