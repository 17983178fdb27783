// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/numbers.h  Formats numbers, sizes, durations and rates for people. */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/** 1234567 as "1,234,567". */
std::string grouped(uint64_t number);

/** A number with two decimals. */
std::string hundredths(double number);

/** "1 sample", "2,000 samples": @p number grouped, and @p noun in the singular or plural. */
std::string counted_noun(uint64_t number, std::string_view noun);

/** "4.0 KiB", "21.3 MiB". */
std::string bytes_text(uint64_t bytes);

/** "0.25 s", "12.3 s", "1 min 23 s", "2 h 05 min". */
std::string duration_text(double seconds);

/** A rate in Hz: "999 Hz", "0.5 Hz". */
std::string rate_text(double hz);

/** @p bytes as hexadecimal digits. */
std::string hex(std::string_view bytes);

} // namespace cli
