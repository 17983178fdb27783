// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/bare_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace cli {
namespace {

bool is_letter(char c)
{
	return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

} // namespace

size_t operator_length(std::string_view name, size_t at)
{
	constexpr std::string_view word = "operator";
	const size_t end = at + word.size();

	if (!name.substr(at).starts_with(word) || (at && is_letter(name[at - 1])) ||
	    (end < name.size() && is_letter(name[end])))
		return 0;
	if (name.substr(end).starts_with("()"))
		return word.size() + 2;
	return std::min(name.find_first_not_of("<>=-", end), name.size()) - at;
}

namespace {

/** The roles that a character of a name may have. */
enum Kind : unsigned char { Other, Mark, BracketOrWord };

constexpr std::array<Kind, 256> kinds = [] {
	std::array<Kind, 256> all{};

	for (const char c : std::string_view(" ,:"))
		all[static_cast<unsigned char>(c)] = Mark;
	/* "operator" begins with 'o'. */
	for (const char c : std::string_view("()<>[]{}o"))
		all[static_cast<unsigned char>(c)] = BracketOrWord;
	return all;
}();

/** The position of the next character of this or a higher kind, from @p at on; else the size. */
size_t next_of(Kind kind, std::string_view name, size_t at)
{
	while (at < name.size() && kinds[static_cast<unsigned char>(name[at])] < kind)
		at++;
	return std::min(at, name.size());
}

enum Bracket : char { Round, Angle, Square, Curly, brackets };

size_t word_length(std::string_view name, size_t at)
{
	constexpr std::string_view unnamed = "(anonymous namespace)";

	switch (name[at]) {
	case '(': return name.substr(at).starts_with(unnamed) ? unnamed.size() : 0;
	case 'o': return operator_length(name, at);
	default: return 0;
	}
}

/** The open brackets.  As in "(a < b)", a closing one also closes all opened after its partner. */
class Brackets {
public:
	[[nodiscard]] bool empty() const { return open_.empty(); }

	/** Count a character, if it is a bracket. */
	void pass(char c)
	{
		switch (c) {
		case '(': open(Round); break;
		case '<': open(Angle); break;
		case '[': open(Square); break;
		case '{': open(Curly); break;
		case ')': close(Round); break;
		case '>': close(Angle); break;
		case ']': close(Square); break;
		case '}': close(Curly); break;
		default: break;
		}
	}

private:
	[[nodiscard]] size_t &count(char kind) { return counts_[static_cast<size_t>(kind)]; }

	void open(Bracket kind)
	{
		open_.push_back(kind);
		count(kind)++;
	}

	void close(Bracket kind)
	{
		/* In expressions, '>' can be an operator; then the innermost bracket is of another kind. */
		if (!count(kind) || (kind == Angle && open_.back() != kind))
			return;
		for (bool found = false; !found;) {
			found = open_.back() == kind;
			count(open_.back())--;
			open_.pop_back();
		}
	}

	std::string open_; /**< values of Bracket; usually few enough for the small buffer */
	std::array<size_t, brackets> counts_{};
};

/** A bracket, blank, comma or colon outside all brackets; or 'o': a word like "operator()". */
struct Outside {
	size_t at;
	char what;
};

/** Every Outside of @p name in order, with outermost opening and unmatched closing brackets. */
std::vector<Outside> outside_in(std::string_view name)
{
	std::vector<Outside> found;
	Brackets brackets;

	found.reserve(16);
	for (size_t at = 0; at < name.size();) {
		at = next_of(brackets.empty() ? Mark : BracketOrWord, name, at);
		if (at == name.size())
			break;
		if (const size_t word = word_length(name, at)) {
			if (brackets.empty() && name[at] == 'o')
				found.push_back({at, 'o'});
			at += word;
			continue;
		}
		if (brackets.empty() && name[at] != 'o')
			found.push_back({at, name[at]});
		brackets.pass(name[at++]);
	}
	return found;
}

/** The position of the last @p wanted outside all brackets before @p end, or npos. */
size_t last_of(const std::vector<Outside> &outside, char wanted, size_t end)
{
	const auto found = std::find_if(outside.rbegin(), outside.rend(), [&](const Outside &one) {
		return one.what == wanted && one.at < end;
	});

	return found == outside.rend() ? std::string_view::npos : found->at;
}

/** The start of the name, after the return type. */
size_t begin_of(std::string_view name, const std::vector<Outside> &outside, size_t end)
{
	/* "operator new", "operator bool": the blank is part of the name. */
	const auto word = std::find_if(outside.begin(), outside.end(),
				       [](const Outside &one) { return one.what == 'o'; });
	size_t blank = last_of(outside, ' ', word == outside.end() ? end : std::min(end, word->at));

	/* "f() const::{lambda()#1}" */
	while (blank != name.npos && name.substr(blank).starts_with(" const::"))
		blank = last_of(outside, ' ', blank);
	return blank == name.npos ? 0 : blank + 1;
}

} // namespace

size_t closing_bracket(std::string_view name, size_t open)
{
	Brackets brackets;

	for (size_t at = open; at < name.size(); at = next_of(BracketOrWord, name, at)) {
		if (const size_t word = word_length(name, at)) {
			at += word;
			continue;
		}
		brackets.pass(name[at]);
		if (brackets.empty())
			return at;
		at++;
	}
	return name.npos;
}

std::string_view without_parameters(std::string_view name)
{
	const std::vector<Outside> outside = outside_in(name);
	size_t end = last_of(outside, '(', name.size());

	if (end == name.npos || end == 0)
		return name;
	end = name.substr(0, end).find_last_not_of(' ') + 1;

	const size_t begin = begin_of(name, outside, end);

	return name.substr(begin, end - begin);
}

std::string_view without_template_arguments(std::string_view name)
{
	const std::vector<Outside> outside = outside_in(name);

	if (!name.ends_with('>') || outside.empty())
		return name;

	const Outside &last = outside.back();

	/* The '>' at the end is not a closing bracket, or is part of "operator->". */
	if (last.at == name.size() - 1 ||
	    (last.what == 'o' && last.at + operator_length(name, last.at) == name.size()))
		return name;

	const size_t begin = last_of(outside, '<', name.size());

	if (begin == name.npos || begin == 0)
		return name;
	name = name.substr(0, begin);
	/* "operator< <int>" */
	return name.substr(0, name.find_last_not_of(' ') + 1);
}

size_t last_outside(std::string_view name, char wanted)
{
	return last_of(outside_in(name), wanted, name.size());
}

std::string_view unqualified(std::string_view bare_name)
{
	const size_t colon = last_outside(bare_name, ':');

	return colon == bare_name.npos ? bare_name : bare_name.substr(colon + 1);
}

} // namespace cli
