// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace cli {

std::string grouped(uint64_t number)
{
	std::string digits = std::to_string(number);

	for (size_t at = digits.size(); at > 3;) {
		at -= 3;
		digits.insert(at, 1, ',');
	}
	return digits;
}

std::string hundredths(double number)
{
	constexpr double most = 1e12;
	constexpr double near_half = 1e-3;
	std::array<char, 512> digits;
	const double scaled = number * 100;

	/* A fast path: to_chars() takes a thousand instructions for a floating-point number. */
	if (scaled >= 0 && scaled < most && std::abs(scaled - std::floor(scaled) - 0.5) > near_half) {
		const auto whole = static_cast<uint64_t>(scaled + 0.5);
		char *end = std::to_chars(digits.data(), digits.data() + digits.size(), whole / 100).ptr;

		*end++ = '.';
		*end++ = static_cast<char>('0' + whole / 10 % 10);
		*end++ = static_cast<char>('0' + whole % 10);
		return {digits.data(), end};
	}

	const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number,
						std::chars_format::fixed, 2);

	return {digits.data(), end};
}

std::string counted_noun(uint64_t number, std::string_view noun)
{
	const bool hisses = noun.ends_with('s');

	return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : hisses ? "es" : "s");
}

std::string bytes_text(uint64_t bytes)
{
	static constexpr std::array units = {"KiB", "MiB", "GiB", "TiB"};
	double size = static_cast<double>(bytes) / 1024;
	size_t unit = 0;

	for (; size >= 1023.95 && unit + 1 < units.size(); unit++)
		size /= 1024;
	return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string duration_text(double seconds)
{
	if (seconds < 9.995)
		return fmt::format("{:.2f} s", seconds);
	if (seconds < 99.95)
		return fmt::format("{:.1f} s", seconds);

	const auto whole = static_cast<uint64_t>(std::llround(seconds));

	if (whole < 3600)
		return fmt::format("{} min {:02} s", whole / 60, whole % 60);
	return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string rate_text(double hz)
{
	const double whole = std::round(hz);

	/* Periods are whole nanoseconds, so a rate is only near the one that the user requested. */
	if (whole >= 1 && whole < 1e15 && std::abs(hz - whole) < whole * 1e-3)
		return fmt::format("{} Hz", grouped(static_cast<uint64_t>(whole)));
	return fmt::format("{:.3g} Hz", hz);
}

std::string hex(std::string_view bytes)
{
	std::string digits;

	for (const char byte : bytes)
		digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
	return digits;
}

} // namespace cli
