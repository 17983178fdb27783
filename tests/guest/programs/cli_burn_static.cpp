// SPDX-License-Identifier: GPL-2.0-or-later
// cli_burn, linked statically to fixed addresses.
#include "tests/guest/programs/cli_burn.cpp"
