// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/examples.cpp  The examples of README.md and the guide that need the module. */
#include "tests/guest/cli/support.h"
#include "tests/support/skip.h"

using namespace cli_test;

TEST_CASE_METHOD(guest::AtRest, "the documents' examples have the shape of what the command prints today",
		 "[cli][examples][icount]")
{
	if (run("command -v python3 && command -v perl && command -v tmux").status)
		support::skip("python3, perl or tmux is missing");
	const Output checked = run("B=" + support::build_dir() + " scripts/examples --check");

	INFO(checked.text);
	CHECK(checked.status == 0);
}
