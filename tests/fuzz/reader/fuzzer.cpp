// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/reader/fuzzer.cpp  The entry point for libFuzzer, see scripts/check/fuzz-reader. */
#include "tests/fuzz/reader/read_profile.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz::read_profile({reinterpret_cast<const char *>(data), size});
	return 0;
}
