// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"

#include <algorithm>
#include <clocale>
#include <cstdint>
#include <cstring>
#include <cwchar>

namespace cli {
namespace {

bool is_continuation(char c)
{
	return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

wchar_t code_point(std::string_view sequence)
{
	const auto lead = static_cast<unsigned char>(sequence[0]);
	auto value = static_cast<wchar_t>(lead & (0x7F >> sequence.size()));

	for (const char c : sequence.substr(1))
		value = value << 6 | (c & 0x3F);
	return value;
}

/* wcwidth() depends on the locale, which is C except in profil top. */
int width_of(wchar_t character)
{
	static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);

	if (!utf8)
		return 1;

	const locale_t before = uselocale(utf8);
	const int width = wcwidth(character);

	uselocale(before);
	return width;
}

/* RFC 3629: after these lead bytes, the second byte reveals overlong forms, surrogates and values
 * above U+10FFFF. */
bool may_follow(unsigned char lead, unsigned char second)
{
	switch (lead) {
	case 0xE0: return second >= 0xA0;
	case 0xED: return second < 0xA0;
	case 0xF0: return second >= 0x90;
	case 0xF4: return second < 0x90;
	default: return true;
	}
}

bool is_between(std::string_view sequence, std::string_view first, std::string_view last)
{
	return sequence >= first && sequence <= last;
}

/*
 * C0, DEL, and C1, which is 0xC2 0x80 to 0xC2 0x9F in UTF-8; and the bidirectional
 * controls (Unicode Standard Annex 9), which could make a name look like another.
 */
bool is_control(std::string_view sequence)
{
	const auto first = static_cast<unsigned char>(sequence[0]);

	if (sequence.size() == 1)
		return first < 0x20 || first == 0x7F;
	return (first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0) ||
	       // NOLINTNEXTLINE(misc-misleading-bidirectional): this looks for them
	       is_between(sequence, "\u202A", "\u202E") || is_between(sequence, "\u2066", "\u2069");
}

bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7F;
}

/**
 * The length of the printable ASCII prefix of a text, which is usually the whole text.  Examines
 * eight bytes at a time.
 */
size_t plain_length(std::string_view text)
{
	constexpr uint64_t ones = 0x0101010101010101;
	constexpr uint64_t high = ones * 0x80;
	size_t at = 0;

	for (uint64_t word; text.size() - at >= sizeof(word); at += sizeof(word)) {
		std::memcpy(&word, text.data() + at, sizeof(word));
		/* If no byte has its high bit set, no sum carries.  Then the first sum sets the
		 * high bit of all bytes except those below 0x20, the second only that of 0x7F. */
		if ((word | ~(word + ones * (0x80 - 0x20)) | (word + ones)) & high)
			break;
	}
	while (at < text.size() && is_plain(text[at]))
		at++;
	return at;
}

/** Replaces invalid bytes, and characters that are @p bad, with '?'; keeps printable ASCII. */
template <typename Bad> std::string replaced(std::string_view text, Bad bad)
{
	std::string safe;

	safe.reserve(text.size());
	while (!text.empty()) {
		const size_t plain = plain_length(text);

		safe.append(text.substr(0, plain));
		text.remove_prefix(plain);
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

size_t sequence_length(std::string_view text)
{
	const auto lead = static_cast<unsigned char>(text[0]);
	const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;

	if (!length || lead > 0xF4 || length > text.size() ||
	    (length > 1 && !may_follow(lead, static_cast<unsigned char>(text[1]))))
		return 0;
	return std::all_of(text.begin() + 1, text.begin() + length, is_continuation) ? length : 0;
}

std::string_view first_character(std::string_view text)
{
	return text.substr(0, std::max<size_t>(sequence_length(text), 1));
}

size_t character_columns(std::string_view character)
{
	if (character.size() == 1)
		return 1;

	const int width = width_of(code_point(character));

	return width < 0 ? 1 : static_cast<size_t>(width);
}

std::string_view fitting(std::string_view text, size_t width)
{
	size_t end = 0;

	for (size_t kept = 0; end < text.size();) {
		const std::string_view one = first_character(text.substr(end));

		kept += character_columns(one);
		if (kept > width)
			break;
		end += one.size();
	}
	return text.substr(0, end);
}

std::vector<std::string> wrapped(std::string_view text, size_t width)
{
	constexpr std::string_view indent = "  ";
	std::vector<std::string> lines;

	while (width && !text.empty()) {
		const size_t left =
			lines.empty() ? width : std::max(width, indent.size() + 2) - indent.size();
		std::string_view part = fitting(text, left);

		if (part.size() == text.size())
			break;

		const size_t space = text.substr(0, part.size() + 1).rfind(' ');

		/* Take at least one character, however wide, or the loop would not end. */
		if (part.empty())
			part = first_character(text);
		else if (space != text.npos && text.substr(0, space).find_first_not_of(' ') != text.npos)
			part = text.substr(0, text.substr(0, space).find_last_not_of(' ') + 1);
		lines.push_back(std::string(lines.empty() ? "" : indent).append(part));
		text.remove_prefix(part.size());
		text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
	}
	if (!text.empty() || lines.empty())
		lines.push_back(std::string(lines.empty() ? "" : indent).append(text));
	return lines;
}

size_t columns(std::string_view text)
{
	size_t sum = 0;

	if (plain_length(text) == text.size())
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

} // namespace cli
