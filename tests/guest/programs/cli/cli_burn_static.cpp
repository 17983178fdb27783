// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/cli/cli_burn_static.cpp  cli_burn, linked statically at fixed addresses. */
#include "tests/guest/programs/cli/cli_burn.cpp"
