/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked with -lprofil. */
#include "tests/guest/programs/lib_histogram.h"
