/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/guest/programs/gmon_work.h"
