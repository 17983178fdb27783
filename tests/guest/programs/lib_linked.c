/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked with -lprofil. */
#include "lib_histogram.h"
