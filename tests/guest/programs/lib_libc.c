/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked against libc alone, for LD_PRELOAD. */
#include "tests/guest/programs/lib_histogram.h"
