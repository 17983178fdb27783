// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/function_choice.h"

#include "cli/annotation/counts.h"
#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/names/bare_name.h"
#include "cli/names/similar.h"
#include "cli/profile/location.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <regex.h>

namespace cli {
namespace {

constexpr size_t most_candidates = 8;

using Functions = std::vector<FunctionSamples>;
using Predicate = std::function<bool(const FunctionSamples &)>;

Functions those(const Functions &functions, const Predicate &wanted)
{
	Functions found;

	std::copy_if(functions.begin(), functions.end(), std::back_inserter(found), wanted);
	return found;
}

bool is_object(std::string_view wanted, const std::string &object)
{
	return wanted == object || wanted == base_name(object);
}

/** True if @p wanted is this name, or "object:" followed by this name. */
bool means(std::string_view wanted, std::string_view name, const std::string &object)
{
	if (name.empty() || !wanted.ends_with(name))
		return false;
	wanted.remove_suffix(name.size());
	return wanted.empty() ||
	       (wanted.ends_with(':') && is_object(wanted.substr(0, wanted.size() - 1), object));
}

bool is_called(const FunctionSamples &function, std::string_view wanted)
{
	return means(wanted, function.name, function.object) ||
	       std::any_of(function.system_names.begin(), function.system_names.end(),
			   [&](const std::string &name) { return means(wanted, name, function.object); });
}

/** The functions of a profile, and how their names are shown. */
class Candidates {
public:
	Candidates(const Functions &functions, NameLength length) : names_(length)
	{
		for (const FunctionSamples &function : functions)
			names_.add(function.name);
	}

	[[nodiscard]] std::string_view text(const FunctionSamples &function) const
	{
		return names_.text(function.name);
	}

	/** A line for each of the first @p functions, with a name that chooses that function. */
	[[nodiscard]] std::string list_of(const Functions &functions) const
	{
		std::string text;

		for (size_t i = 0; i < std::min(functions.size(), most_candidates); i++)
			text += fmt::format("\n  {}:{}  ({})", printable(functions[i].object),
					    printable(this->text(functions[i])),
					    counted_noun(functions[i].samples(), "sample"));
		if (functions.size() > most_candidates)
			text += fmt::format("\n  ... and {} more",
					    grouped(functions.size() - most_candidates));
		return text;
	}

private:
	ShownNames names_;
};

/** True if @p wanted is the name without its parameters, with or without its template arguments. */
bool is_called_briefly(const FunctionSamples &function, std::string_view wanted)
{
	const std::string_view bare = without_parameters(function.name);

	return means(wanted, bare, function.object) ||
	       means(wanted, without_template_arguments(bare), function.object);
}

/** The last part of a name, without namespace, parameters and template arguments. */
std::string_view last_name(std::string_view name)
{
	return without_template_arguments(unqualified(without_parameters(name)));
}

/** A compiled POSIX extended regular expression. */
class Expression {
public:
	explicit Expression(const std::string &text)
		: error_(regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB))
	{
	}
	Expression(const Expression &) = delete;
	Expression &operator=(const Expression &) = delete;
	~Expression()
	{
		if (!error_)
			regfree(&compiled_);
	}

	/** The error in the expression; empty if it is valid. */
	[[nodiscard]] std::string problem() const
	{
		std::array<char, 200> words{};

		if (!error_)
			return "";
		regerror(error_, &compiled_, words.data(), words.size());
		return words.data();
	}
	[[nodiscard]] bool matches(const std::string &text) const
	{
		return !regexec(&compiled_, text.c_str(), 0, nullptr, 0);
	}

private:
	regex_t compiled_{};
	int error_;
};

Result<Functions> choose_matching(const Functions &functions, std::string wanted)
{
	wanted.erase(0, 1);
	if (wanted.ends_with('/'))
		wanted.pop_back();

	const Expression expression(wanted);

	if (!expression.problem().empty())
		return Error{
			fmt::format("'{}' is not a regular expression: {}", wanted, expression.problem())};

	Functions found = those(functions, [&](const FunctionSamples &function) {
		return expression.matches(function.name) ||
		       std::any_of(function.system_names.begin(), function.system_names.end(),
				   [&](const std::string &name) { return expression.matches(name); });
	});

	if (found.empty())
		return Error{fmt::format("no function with samples matches '{}'", wanted)};
	return found;
}

/** The functions whose name contains @p wanted, or differs from it in at most a third of its letters. */
Functions alike(const Functions &functions, std::string_view wanted)
{
	return those(functions, [&](const FunctionSamples &function) {
		const std::string_view bare = without_template_arguments(without_parameters(function.name));

		return function.name.find(wanted) != std::string::npos || is_similar(wanted, bare) ||
		       is_similar(wanted, unqualified(bare));
	});
}

Error unknown(const Functions &functions, const Candidates &candidates, const std::string &wanted)
{
	const Functions close = alike(functions, wanted);
	const std::string text = fmt::format("no function '{}' has samples", printable(wanted));

	if (!close.empty())
		return Error{fmt::format("{}; did you mean", text) + candidates.list_of(close)};
	return Error{functions.empty()
			     ? text
			     : fmt::format("{}; those with most are", text) + candidates.list_of(functions)};
}

class FunctionTable {
public:
	void add(const Profile &profile, const Location &location, uint64_t samples)
	{
		const std::string object(object_of(profile, location));
		const std::string outer = function_of(profile, location);
		std::set<std::string> seen = {outer, ""};
		FunctionSamples &own = entry(object, outer);

		own.own = saturating_add(own.own, samples);
		for (const Line &line : location.lines) {
			const Function &function = profile.functions[line.function];
			const bool outermost = &line == &location.lines.back();
			const std::string name = outermost ? outer : std::string(name_of(function));

			if (name.empty())
				continue;

			FunctionSamples &here = entry(object, name);

			if (seen.insert(name).second)
				here.inlined = saturating_add(here.inlined, samples);
			if (!function.system_name.empty())
				here.system_names.insert(function.system_name);
		}
	}

	[[nodiscard]] Functions sorted() const
	{
		Functions all;

		for (const auto &[key, function] : functions_)
			all.push_back(function);
		std::stable_sort(all.begin(), all.end(),
				 [](const FunctionSamples &a, const FunctionSamples &b) {
					 return std::pair(a.own, a.inlined) > std::pair(b.own, b.inlined);
				 });
		return all;
	}

private:
	FunctionSamples &entry(const std::string &object, const std::string &name)
	{
		FunctionSamples &function = functions_[{object, name}];

		function.object = object;
		function.name = name;
		return function;
	}

	std::map<std::pair<std::string, std::string>, FunctionSamples> functions_;
};

} // namespace

Functions functions_of(const Profile &profile)
{
	const std::vector<Counts> counts = counts_by_location(profile);
	FunctionTable table;

	for (size_t i = 0; i < counts.size(); i++) {
		if (counts[i].any())
			table.add(profile, profile.locations[i], counts[i].samples);
	}
	return table.sorted();
}

Result<Functions> choose_functions(const Functions &functions, const std::string &wanted, NameLength length)
{
	const Candidates candidates(functions, length);
	/* @p wanted may be any of these forms of a name, from the exact name to the shortest. */
	const Predicate ways[] = {
		[&](const FunctionSamples &one) { return is_called(one, wanted); },
		[&](const FunctionSamples &one) { return means(wanted, candidates.text(one), one.object); },
		[&](const FunctionSamples &one) { return is_called_briefly(one, wanted); },
		[&](const FunctionSamples &one) {
			return means(wanted, unqualified(without_parameters(one.name)), one.object);
		},
		[&](const FunctionSamples &one) { return means(wanted, last_name(one.name), one.object); },
	};
	Functions found;

	for (const Predicate &way : ways) {
		/* Text that begins with "/" is an expression, unless it is the exact name of a function. */
		if (&way != ways && wanted.starts_with('/'))
			return choose_matching(functions, wanted);
		found = those(functions, way);
		if (!found.empty())
			break;
	}
	if (found.empty())
		return unknown(functions, candidates, wanted);
	if (found.size() > 1)
		return Error{fmt::format("'{}' is more than one function:", printable(wanted)) +
			     candidates.list_of(found)};
	return found;
}

} // namespace cli
