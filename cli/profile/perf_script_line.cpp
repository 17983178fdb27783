// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/perf_script_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cli {
namespace {

/** Take a word from the beginning of @p text; empty at its end. */
std::string_view take_word(std::string_view &text)
{
	while (!text.empty() && is_blank(text.front()))
		text.remove_prefix(1);

	const size_t size = std::min(text.find_first_of(" \t\r"), text.size());
	const std::string_view word = text.substr(0, size);

	text.remove_prefix(size);
	return word;
}

/** All of @p text as a number. */
template <typename Number> std::optional<Number> number_of(std::string_view text, int base = 10)
{
	Number number = 0;
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);

	if (text.empty() || error != std::errc() || end != text.data() + text.size())
		return std::nullopt;
	return number;
}

/** "12345.678901:" in seconds. */
std::optional<double> time_of(std::string_view word)
{
	double time = 0;

	if (!word.ends_with(':') || word.find('.') == word.npos)
		return std::nullopt;
	word.remove_suffix(1);

	const auto [end, error] =
		std::from_chars(word.data(), word.data() + word.size(), time, std::chars_format::fixed);

	if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(time))
		return std::nullopt;
	return time;
}

bool is_cpu(std::string_view word)
{
	return word.size() > 2 && word.front() == '[' && word.back() == ']' &&
	       number_of<uint32_t>(word.substr(1, word.size() - 2));
}

/** True if a word is "pid/tid" or "tid".  Sets @p pid to the process, if the word has it. */
bool is_id(std::string_view word, std::optional<int64_t> &pid)
{
	const size_t slash = word.find('/');

	if (!number_of<int64_t>(word.substr(slash == word.npos ? 0 : slash + 1)))
		return false;
	pid = slash == word.npos ? std::nullopt : number_of<int64_t>(word.substr(0, slash));
	return slash == word.npos || pid;
}

/** Parse the text after a thread's ID: "[cpu] time: period event: rest". */
bool take_tail(std::string_view text, PerfHead &head)
{
	std::string_view word = take_word(text);

	if (is_cpu(word))
		word = take_word(text);

	const std::optional<double> time = time_of(word);

	if (!time)
		return false;
	head.time = *time;
	word = take_word(text);
	if (const auto period = number_of<int64_t>(word)) {
		head.period = std::max<int64_t>(*period, 0);
		word = take_word(text);
	}
	if (word.size() < 2 || !word.ends_with(':'))
		return false;
	head.event = word.substr(0, word.size() - 1);
	head.rest = without_blanks(text);
	return true;
}

std::string_view without_offset(std::string_view symbol)
{
	const size_t plus = symbol.rfind("+0x");

	if (plus != symbol.npos && number_of<uint64_t>(symbol.substr(plus + 3), 16))
		return symbol.substr(0, plus);
	return symbol;
}

/** Take "(dso)" from the end of @p text; a path may end with " (deleted)". */
std::string_view take_object(std::string_view &text)
{
	constexpr std::string_view deleted = " (deleted))";
	const size_t before = text.ends_with(deleted) ? text.size() - deleted.size() : text.npos;
	const size_t open = text.rfind(" (", before == 0 ? 0 : before - 1);

	if (!text.ends_with(')') || open == text.npos)
		return {};

	const std::string_view object = text.substr(open + 2, text.size() - open - 3);

	text = without_blanks(text.substr(0, open));
	return object;
}

} // namespace

std::string_view without_blanks(std::string_view text)
{
	while (!text.empty() && is_blank(text.front()))
		text.remove_prefix(1);
	while (!text.empty() && is_blank(text.back()))
		text.remove_suffix(1);
	return text;
}

/** Take a line, without its end, from the beginning of @p text. */
std::string_view take_line(std::string_view &text)
{
	const std::string_view line = text.substr(0, text.find('\n'));

	text.remove_prefix(std::min(line.size() + 1, text.size()));
	return line;
}

/** A command may contain blanks and digits, so it ends at the first ID that precedes a time. */
std::optional<PerfHead> perf_head(std::string_view line)
{
	std::string_view text = line;
	PerfHead head;

	if (line.empty() || line.front() == '\t' || line.front() == '#' || take_word(text).empty())
		return std::nullopt;
	while (!text.empty()) {
		const size_t end = line.size() - text.size();

		if (is_id(take_word(text), head.pid) && take_tail(text, head)) {
			head.command = without_blanks(line.substr(0, end));
			return head;
		}
	}
	return std::nullopt;
}

/** "ip symbol+offset (dso)" */
std::optional<PerfPlace> perf_place(std::string_view line)
{
	std::string_view text = without_blanks(line);
	const auto address = number_of<uint64_t>(take_word(text), 16);
	PerfPlace place;

	if (!address)
		return std::nullopt;
	place.address = *address;
	place.object = take_object(text);
	place.symbol = without_offset(without_blanks(text));
	if (place.symbol == "[unknown]")
		place.symbol = {};
	if (place.object == "[unknown]")
		place.object = {};
	place.inlined = place.object == "inlined";
	/* Use the name that our own recordings have. */
	if (place.object.starts_with("[kernel.kallsyms]"))
		place.object = "[kernel]";
	return place;
}

} // namespace cli
