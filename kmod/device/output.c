// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a command writes its output.
 *
 * A command must find out before it does its work whether its output can be written.  A task
 * that may wait can fault the page in again later.  One that may not (profile/wait.h) pins it
 * first, unless the command writes before it changes anything.
 *
 * Context: process
 */
#include "device/output.h"

#include "profile/span.h"
#include "profile/wait.h"

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

static int profil_output_pin(struct profil_output *output, u32 bytes)
{
	unsigned long at = round_down((unsigned long)output->to, PAGE_SIZE);
	unsigned long end = (unsigned long)output->to + bytes;

	for (; at < end; at += PAGE_SIZE) {
		/* A worker will find out whether it is bad, or only not present. */
		if (profil_page_pin(at, &output->pages[output->nr]))
			return -EAGAIN;
		output->nr++;
	}
	return 0;
}

/**
 * profil_output_open() - check that output can be written
 * @output: filled in; profil_output_close() undoes it, even if this fails
 * @to: its address
 * @from: what is there now
 * @bytes: at most a page
 * @may_fail: the command has done nothing yet when it writes
 *
 * Context: Process context, may sleep.
 * Return: 0; -EFAULT; -EAGAIN if current may not wait, and a page is missing or may be.
 */
int profil_output_open(struct profil_output *output, void __user *to, const void *from,
		       u32 bytes, bool may_fail)
{
	*output = (struct profil_output) { .to = to };
	if (profil_may_wait())
		return copy_to_user(to, from, bytes) ? -EFAULT : 0;
	/* One of two pages could be written while the other is missing. */
	if (may_fail)
		return offset_in_page(to) + bytes > PAGE_SIZE ? -EAGAIN : 0;
	return access_ok(to, bytes) ? profil_output_pin(output, bytes) : -EFAULT;
}

/**
 * profil_output_write() - write output
 * @output: opened
 * @from: what to write
 * @bytes: not more than were opened
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EFAULT.
 */
int profil_output_write(struct profil_output *output, const void *from, u32 bytes)
{
	size_t offset = offset_in_page(output->to), first;
	unsigned long left;

	if (!output->nr) {
		left = copy_to_user(output->to, from, bytes);
		output->begun |= left < bytes;
		return left ? -EFAULT : 0;
	}
	first = min_t(size_t, bytes, PAGE_SIZE - offset);
	memcpy_to_page(output->pages[0], offset, from, first);
	if (bytes > first)
		memcpy_to_page(output->pages[1], 0, from + first, bytes - first);
	return 0;
}

/**
 * profil_output_take_back() - restore what was there before
 * @output: opened; profil_output_write() may have failed
 * @from: what was there
 * @bytes: not more than were opened
 *
 * If the page has been taken away since, by a fork for instance, this waits for it, even on a
 * ring: a worker would find there what was written.  The page was there a moment ago, and
 * io_uring itself waits when it copies such memory.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EFAULT.
 */
int profil_output_take_back(struct profil_output *output, const void *from, u32 bytes)
{
	bool may_wait = profil_may_wait();
	int err;

	if (!output->begun)
		return 0;
	if (!may_wait)
		pagefault_enable();
	err = profil_output_write(output, from, bytes);
	if (!may_wait)
		pagefault_disable();
	return err;
}

/**
 * profil_output_close() - undo profil_output_open()
 * @output: opened
 *
 * Context: Process context, may sleep.
 */
void profil_output_close(struct profil_output *output)
{
	unpin_user_pages_dirty_lock(output->pages, output->nr, true);
}
