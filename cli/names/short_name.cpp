// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/short_name.h"

#include "cli/names/bare_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace cli {
namespace {

constexpr size_t longest_arguments = 20;
/* In profiles from other tools, only the length of a name limits its nesting. */
constexpr int deepest = 8;

using Abbreviation = std::pair<std::string_view, std::string_view>;

/* The order matters: earlier replacements make later ones match. */
constexpr std::array<Abbreviation, 8> abbreviations = {{
	{"std::__cxx11::", "std::"},
	{"std::__1::", "std::"},
	{"[abi:cxx11]", ""},
	{"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
	{"std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string"},
	{"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
	{"std::basic_ostream<char, std::char_traits<char> >", "std::ostream"},
	{"std::basic_istream<char, std::char_traits<char> >", "std::istream"},
}};

/* Arguments that are the defaults of the standard library's templates. */
constexpr std::array<std::string_view, 6> defaults = {"std::allocator<",      "std::char_traits<",
						      "std::default_delete<", "std::less<",
						      "std::hash<",	      "std::equal_to<"};

constexpr std::array<std::string_view, 3> thunks = {"non-virtual thunk to ", "virtual thunk to ",
						    "covariant return thunk to "};

bool is_word(char c)
{
	return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/** The position of the first @p one or @p other, from @p at on; else the size. */
size_t find_either(std::string_view name, char one, char other, size_t at = 0)
{
	while (at < name.size() && name[at] != one && name[at] != other)
		at++;
	return std::min(at, name.size());
}

std::string_view trimmed(std::string_view text)
{
	const size_t first = std::min(text.find_first_not_of(' '), text.size());

	text.remove_prefix(first);
	return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string abbreviated(std::string_view name)
{
	std::string text(name);

	if (name.find("std::") == name.npos && name.find("[abi:") == name.npos)
		return text;
	for (const auto &[whole, brief] : abbreviations) {
		std::string next;
		size_t done = 0;

		for (size_t at = text.find(whole); at != text.npos; at = text.find(whole, done)) {
			next.append(text, done, at - done).append(brief);
			done = at + whole.size();
		}
		if (done)
			text = next.append(text, done);
	}
	return text;
}

std::string_view without_defaults(std::string_view arguments)
{
	for (;;) {
		const size_t comma = last_outside(arguments, ',');
		const std::string_view last = trimmed(arguments.substr(comma + 1));

		if (comma == arguments.npos ||
		    std::none_of(defaults.begin(), defaults.end(),
				 [&](std::string_view one) { return last.starts_with(one); }))
			return trimmed(arguments);
		arguments = arguments.substr(0, comma);
	}
}

/** False for the '<' of Rust's "<A as B>::f" and "a::<impl B for C>::f". */
bool opens_arguments(std::string_view name, size_t at)
{
	return name[at] == '<' && at && (is_word(name[at - 1]) || name[at - 1] == ':') &&
	       !name.substr(at).starts_with("<impl ");
}

std::string shorten_templates(std::string_view name, int depth);

std::string arguments_text(std::string_view arguments, int depth)
{
	std::string text;

	if (depth == deepest)
		return "<...>";
	text = shorten_templates(without_defaults(arguments), depth + 1);
	return text.size() > longest_arguments ? "<...>" : "<" + text + ">";
}

std::string shorten_templates(std::string_view name, int depth)
{
	std::string text;

	for (size_t at = 0; at < name.size();) {
		if (const size_t length = operator_length(name, at)) {
			text += name.substr(at, length);
			at += length;
			/* "operator< <int>" */
			if (name.substr(at).starts_with(" <")) {
				text += ' ';
				at++;
			}
			if (at >= name.size() || name[at] != '<')
				continue;
		} else if (!opens_arguments(name, at)) {
			/* Template arguments and operators begin with one of these. */
			const size_t next = find_either(name, '<', 'o', at + 1);

			text += name.substr(at, next - at);
			at = next;
			continue;
		}

		const size_t end = closing_bracket(name, at);

		if (end == name.npos)
			return text.append(name.substr(at));
		text += arguments_text(name.substr(at + 1, end - at - 1), depth);
		at = end + 1;
	}
	return text;
}

/** Moves the end of @p name, from @p at on, to the front of @p marks; false if @p at is npos. */
bool move_mark(std::string_view &name, std::string &marks, size_t at)
{
	if (at == name.npos)
		return false;
	marks.insert(0, name.substr(at));
	name = name.substr(0, at);
	return true;
}

/** The position of " (.cold)" or the like at the end of a name, or npos. */
size_t part_mark(std::string_view name)
{
	const size_t open = name.rfind('(');

	return open != name.npos && open && name[open - 1] == ' ' && name[open + 1] == '.' ? open - 1
											   : name.npos;
}

/** Splits off the marks that compilers and profil append: "@plt", " [clone .cold]", " (.cold)". */
std::string split_marks(std::string_view &name)
{
	constexpr std::string_view stub = "@plt";
	std::string marks;

	for (bool found = true; found;) {
		found = false;
		if (name.ends_with(stub))
			found = move_mark(name, marks, name.size() - stub.size());
		else if (name.ends_with(']'))
			found = move_mark(name, marks, name.rfind(" [clone "));
		else if (name.ends_with(')'))
			found = move_mark(name, marks, part_mark(name));
	}
	return marks;
}

std::string_view without_qualifiers(std::string_view name)
{
	for (const std::string_view word : {" &&", " &", " noexcept", " volatile", " const"}) {
		if (name.ends_with(word))
			name.remove_suffix(word.size());
	}
	return name;
}

/** without_parameters(), or @p name unchanged if the brackets at its end hold something else. */
std::string_view bare(std::string_view name)
{
	const std::string_view function = without_qualifiers(name);
	const std::string_view bare = without_parameters(function);

	if (!function.ends_with(')') || bare.size() == function.size())
		return name;

	const size_t open = static_cast<size_t>(bare.data() - function.data()) + bare.size();

	/* "read (file.js:12)", functions that return function pointers, text after the brackets. */
	if (bare.empty() || open >= function.size() || function[open] != '(' ||
	    (bare.ends_with(')') && !bare.ends_with("operator()")) ||
	    closing_bracket(function, open) != function.size() - 1)
		return name;
	return bare;
}

/** Characters that plain_part() keeps. */
constexpr std::array<bool, 256> plain = [] {
	std::array<bool, 256> all{};

	for (int c = 0; c < 256; c++)
		all[static_cast<size_t>(c)] =
			(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	for (const char c : std::string_view("_:~.$"))
		all[static_cast<unsigned char>(c)] = true;
	return all;
}();

/**
 * The short form of most names: "a::b" for both "a::b" and "a::b(int, c<d>)".  Empty if anything
 * other than such parameters may have to be stripped.
 */
std::string_view plain_part(std::string_view name)
{
	size_t end = 0;

	while (end < name.size() && plain[static_cast<unsigned char>(name[end])])
		end++;

	const std::string_view part = name.substr(0, end);

	/* If the name has round brackets, they must be one pair at its end. */
	if (end < name.size() && (name[end] != '(' || part.ends_with("operator") ||
				  name.find_first_of("()", end + 1) != name.size() - 1 || name.back() != ')'))
		return {};
	return part.find("::__") == part.npos ? part : std::string_view();
}

/** A name without parameters, qualifiers and return type; @p templates shortens its templates. */
std::string stripped(std::string_view name, std::string (*templates)(std::string_view))
{
	if (const std::string_view part = plain_part(name); !part.empty())
		return std::string(part);

	const auto *thunk = std::find_if(thunks.begin(), thunks.end(),
					 [&](std::string_view one) { return name.starts_with(one); });

	if (thunk != thunks.end())
		return std::string(*thunk) + stripped(name.substr(thunk->size()), templates);
	if (find_either(name, '(', '<') == name.size())
		return templates(name);

	const std::string marks = split_marks(name);

	return templates(bare(name)) + marks;
}

} // namespace

std::string with_short_templates(std::string_view name)
{
	if (find_either(name, '<', '[') == name.size() && name.find("::__") == name.npos)
		return std::string(name);
	return shorten_templates(abbreviated(name), 0);
}

std::string with_arguments(std::string_view name)
{
	return stripped(name, abbreviated);
}

std::string short_name(std::string_view name)
{
	return stripped(name, with_short_templates);
}

} // namespace cli
