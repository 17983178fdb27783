/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked with libprofil.a, static. */
#include "tests/guest/programs/lib_histogram.h"
