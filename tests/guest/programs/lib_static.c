/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked with libprofil.a, static. */
#include "lib_histogram.h"
