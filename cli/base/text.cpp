// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/text.h"

#include "cli/base/characters.h"
#include "cli/base/fd.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

namespace cli {
namespace {

bool is_between(std::string_view sequence, std::string_view first, std::string_view last)
{
	return sequence >= first && sequence <= last;
}

/*
 * C0, DEL, and C1, which is 0xC2 0x80 to 0xC2 0x9F in UTF-8; and what turns text
 * around (Unicode Standard Annex 9): it would show a name as another.
 */
bool is_control(std::string_view sequence)
{
	const auto first = static_cast<unsigned char>(sequence[0]);

	if (sequence.size() == 1)
		return first < 0x20 || first == 0x7F;
	return (first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0) ||
	       is_between(sequence, "\u202A", "\u202E") || is_between(sequence, "\u2066", "\u2069");
}

bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7F;
}

/** With '?' for what is not UTF-8, and for what @p bad takes, which is nothing plain. */
template <typename Bad> std::string replaced(std::string_view text, Bad bad)
{
	std::string safe;

	safe.reserve(text.size());
	while (!text.empty()) {
		const auto plain = std::find_if_not(text.begin(), text.end(), is_plain);

		safe.append(text.begin(), plain);
		text.remove_prefix(static_cast<size_t>(plain - text.begin()));
		if (text.empty())
			break;

		const size_t length = sequence_length(text);
		const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));

		if (!length || bad(sequence))
			safe += '?';
		else
			safe += sequence;
		text.remove_prefix(sequence.size());
	}
	return safe;
}

} // namespace

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
	std::array<char, 512> digits;
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

	/* Periods are whole nanoseconds, so a rate is only nearly what was asked for. */
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

size_t columns(std::string_view text)
{
	size_t sum = 0;

	if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; }))
		return text.size();
	while (!text.empty()) {
		const std::string_view one = first_character(text);

		sum += character_columns(one);
		text.remove_prefix(one.size());
	}
	return sum;
}

std::string shortened(std::string_view text, size_t width)
{
	if (columns(text) <= width)
		return std::string(text);
	if (!width)
		return {};
	return std::string(fitting(text, width - 1)) + "…";
}

std::string printable(std::string_view text)
{
	return replaced(text, is_control);
}

std::string valid_utf8(std::string_view text)
{
	return replaced(text, [](std::string_view) { return false; });
}

std::vector<std::string> split_lines(std::string_view text)
{
	std::vector<std::string> lines;

	while (!text.empty()) {
		const size_t end = std::min(text.find('\n'), text.size());

		lines.emplace_back(text.substr(0, end));
		text.remove_prefix(std::min(end + 1, text.size()));
	}
	return lines;
}

std::string_view base_name(std::string_view path)
{
	const size_t slash = path.rfind('/');

	return slash == path.npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

size_t terminal_width(int fd)
{
	winsize size = {};

	if (!isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

Result<std::string> read_all(int fd, const std::string &name, size_t limit)
{
	std::string content;
	std::array<char, 16384> chunk;

	for (;;) {
		const ssize_t got = read(fd, chunk.data(), chunk.size());

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return system_error(name);
		if (got == 0)
			return content;
		if (static_cast<size_t>(got) > limit - content.size())
			return system_error(name, EFBIG);
		content.append(chunk.data(), static_cast<size_t>(got));
	}
}

Result<std::string> read_file(const std::string &path, size_t limit)
{
	const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));

	return file ? read_all(file.get(), path, limit) : system_error(path);
}

} // namespace cli
