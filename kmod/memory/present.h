/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making pages present, so that they can be pinned.
 *
 * Context: process
 */
#ifndef PROFIL_PRESENT_H
#define PROFIL_PRESENT_H

#include <linux/types.h>

struct inode;
struct mm_struct;
struct page;
struct profil_span;

bool profil_is_tmpfs_file(const struct inode *inode);
int profil_pages_fault_in_watched(struct mm_struct *mm, const struct profil_span *span);
int profil_pages_fault_in(struct mm_struct *mm, unsigned long start, unsigned long pages);
int profil_page_lend(unsigned long at, struct page **page);
void profil_page_unlend(struct page *page);

#endif /* PROFIL_PRESENT_H */
