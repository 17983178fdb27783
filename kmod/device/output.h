/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a command writes its output.
 *
 * Context: process
 */
#ifndef PROFIL_OUTPUT_H
#define PROFIL_OUTPUT_H

#include <linux/types.h>

struct page;

/**
 * struct profil_output - user memory that a command will write
 * @to: its address
 * @pages: if current may not wait: its pages, pinned
 * @nr: how many; else 0
 * @begun: something may have been written there
 */
struct profil_output {
	void __user *to;
	struct page *pages[2];
	unsigned int nr;
	bool begun;
};

int profil_output_open(struct profil_output *output, void __user *to, const void *from,
		       u32 bytes, bool may_fail);
int profil_output_write(struct profil_output *output, const void *from, u32 bytes);
int profil_output_take_back(struct profil_output *output, const void *from, u32 bytes);
void profil_output_close(struct profil_output *output);

#endif /* PROFIL_OUTPUT_H */
