// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/manual.cpp  Compares profil(1) with the program: the page must have every
 * command and every option.
 */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

using support::cells_of;
using support::run;

namespace {

constexpr char page[] = "Documentation/man/profil.1";
constexpr char shared[] = "What to profile, and how";

/** The formatted page, by the titles of its sections and parts. */
std::map<std::string, std::string> parts_of_the_page()
{
	std::istringstream lines(
		run(std::string("mandoc -T ascii -O width=200 ") + page + " | col -bx").text);
	std::map<std::string, std::string> parts;
	std::string title;

	for (std::string line; std::getline(lines, line);) {
		const size_t indent = std::min(line.find_first_not_of(' '), line.size());

		if (!line.empty() && (indent == 0 || indent == 3))
			title = line.substr(indent);
		else
			parts[title] += line + '\n';
	}
	return parts;
}

/** The options that begin the entries of the page's lists: "-p, --pid pid[,pid ...]". */
std::set<std::string> options_in(const std::string &part)
{
	const std::regex option("--?[a-zA-Z][-a-z]*");
	std::istringstream lines(part);
	std::set<std::string> names;

	for (std::string line; std::getline(lines, line);) {
		if (line.find_first_not_of(' ') == line.npos || line[line.find_first_not_of(' ')] != '-')
			continue;
		for (auto found = std::sregex_iterator(line.begin(), line.end(), option);
		     found != std::sregex_iterator(); ++found)
			names.insert(found->str());
	}
	return names;
}

/** The options of the program: the long ones, and the letters that its help names. */
std::set<std::string> options_of(const std::string &command)
{
	const std::string profil = support::build_dir() + "/profil ";
	std::istringstream lines(run(profil + "__complete -- " + command + " --").text);
	std::set<std::string> names = options_in(run(profil + command + " --help").text);
	std::set<std::string> taken;

	for (std::string line; std::getline(lines, line);) {
		if (line.starts_with("--"))
			taken.insert(cells_of(line).at(0));
	}
	for (const std::string &name : names) {
		if (name.size() == 2)
			taken.insert(name);
	}
	return taken;
}

std::set<std::string> subcommands()
{
	std::istringstream lines(run(support::build_dir() + "/profil __complete -- ''").text);
	std::set<std::string> names;

	for (std::string line; std::getline(lines, line);) {
		if (!line.starts_with(':') && !line.starts_with("help"))
			names.insert(cells_of(line).at(0));
	}
	return names;
}

std::set<std::string> difference(const std::set<std::string> &all, const std::set<std::string> &without)
{
	std::set<std::string> left;

	std::set_difference(all.begin(), all.end(), without.begin(), without.end(),
			    std::inserter(left, left.end()));
	return left;
}

} // namespace

TEST_CASE("profil(1) has every option of every command, and no other", "[cli][manual]")
{
	const std::map<std::string, std::string> parts = parts_of_the_page();
	const std::set<std::string> common = options_in(parts.at(shared));

	for (const std::string &command : subcommands()) {
		CAPTURE(command);
		if (!parts.count(command)) {
			FAIL_CHECK(page << " has no '.Ss " << command << "'");
			continue;
		}

		const std::set<std::string> own = options_in(parts.at(command));
		const std::set<std::string> taken = options_of(command);
		std::set<std::string> described = own;

		if (taken.count("--per-process"))
			described.insert(common.begin(), common.end());
		CHECK(difference(taken, described) == std::set<std::string>());
		CHECK(difference(described, taken) == std::set<std::string>());
	}
}

TEST_CASE("profil(1) names every command in its synopsis, and every exit status", "[cli][manual]")
{
	const std::map<std::string, std::string> parts = parts_of_the_page();

	for (const std::string &command : subcommands()) {
		if (parts.at("SYNOPSIS").find("profil " + command) == std::string::npos)
			FAIL_CHECK("the synopsis of " << page << " has no 'profil " << command << "'");
	}
	for (const char *status : {"     0 ", "     1 ", "     2 "})
		CHECK(parts.at("EXIT STATUS").find(status) != std::string::npos);
	CHECK(parts.at("EXAMPLES").find("profil record -p 4711") != std::string::npos);
}

TEST_CASE("the page and the completions are installed where they are looked for", "[cli][manual]")
{
	const support::TemporaryDirectory directory;
	const support::Output output =
		run("B=" + support::build_dir() + " PREFIX=/usr DESTDIR=" + (directory / "") +
		    " scripts/build/install");

	INFO(output.text);
	REQUIRE(output.status == 0);
	for (const char *path :
	     {"usr/share/man/man1/profil.1", "usr/share/bash-completion/completions/profil",
	      "usr/share/zsh/site-functions/_profil", "usr/share/fish/vendor_completions.d/profil.fish"})
		CHECK(std::filesystem::is_regular_file(directory / path));

	const support::Output push = run((directory / "usr/bin/profil") + " push /no/such/file");

	CHECK(push.text.starts_with("profil push: /no/such/file: No such file or directory"));
	CHECK(push.status == 1);
}
