// SPDX-License-Identifier: GPL-2.0-or-later
// Catch2's main() for the tests that need no kernel.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
