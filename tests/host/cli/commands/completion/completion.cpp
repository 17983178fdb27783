// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/completion/completion.cpp  The words that profil offers to
 * shells, and completion by bash, zsh and fish. */
#include "cli/commands/export/export.h"
#include "cli/commands/push/options.h"
#include "cli/profile/pprof.h"
#include "cli/rows/sort_key.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <unistd.h>

using support::cells_of;
using support::run;
using support::TemporaryDirectory;

namespace {

std::string profil_path()
{
	return support::build_dir() + "/profil";
}

std::vector<std::string> lines_of(const std::string &text)
{
	std::istringstream in(text);
	std::vector<std::string> lines;

	for (std::string line; std::getline(in, line);)
		lines.push_back(line);
	return lines;
}

/** The words that profil offers; the last one tells the shell what to do. */
std::vector<std::string> offered(const std::string &words)
{
	const support::Output output = run(profil_path() + " __complete -- " + words);
	std::vector<std::string> all;

	CAPTURE(words);
	REQUIRE(output.status == 0);
	for (const std::string &line : lines_of(output.text))
		all.push_back(cells_of(line).at(0));
	return all;
}

bool contains(const std::vector<std::string> &all, const std::string &one)
{
	return std::find(all.begin(), all.end(), one) != all.end();
}

std::vector<std::string> subcommands()
{
	std::vector<std::string> names = offered("''");

	names.pop_back();
	std::erase(names, "help");
	return names;
}

/** A shell with the command in PATH, in a directory of profiles and other files. */
class Desk {
public:
	Desk()
	{
		for (const char *name : {"new.pb.gz", "new.txt", "other"})
			std::ofstream(directory_ / name) << "";
		std::filesystem::create_directory(directory_ / "newer");
	}

	/** The line as a shell completes it, with a bar at the cursor. */
	[[nodiscard]] std::string typed(const std::string &shell, const std::string &setup,
					const std::string &line) const
	{
		const support::Output output =
			run("cd " + (directory_ / "") + " && PATH=" + support::build_dir() +
			    ":$PATH /usr/bin/python3 " + source_ +
			    "/tests/host/cli/commands/completion/type_in_shell.py '" + setup + "' '" + line +
			    "' " + shell);

		return output.text.substr(0, output.text.find('\n'));
	}
	[[nodiscard]] std::string script(const std::string &name) const
	{
		return source_ + "/cli/commands/completion/" + name;
	}
	[[nodiscard]] std::vector<std::string> fish(const std::string &line) const
	{
		const support::Output output =
			run("cd " + (directory_ / "") + " && HOME=" + (directory_ / "") +
			    " PATH=" + support::build_dir() + ":$PATH fish --no-config -c 'source " +
			    script("profil.fish") + "; complete -C \"" + line + "\"'");
		std::vector<std::string> all;

		INFO(output.text);
		CHECK(output.status == 0);
		for (const std::string &one : lines_of(output.text))
			all.push_back(cells_of(one).at(0));
		return all;
	}

private:
	TemporaryDirectory directory_;
	std::string source_ = std::filesystem::current_path();
};

/** The line without the suffix that zsh would remove: a space, or the slash after a directory. */
std::string without_suffix(std::string line)
{
	for (const char *end : {" |", "/|"}) {
		if (line.ends_with(end))
			line.erase(line.size() - 2, 1);
	}
	return line;
}

/* Lines that bash and zsh complete alike. */
const std::pair<const char *, const char *> lines[] = {
	{"profil rec", "profil record |"},
	{"profil help exp", "profil help export |"},
	{"profil report --percent-l", "profil report --percent-limit |"},
	{"profil export --format fol", "profil export --format folded |"},
	{"profil export --format=fol", "profil export --format=folded |"},
	{"profil report -s function,obj", "profil report -s function,object |"},
	{"profil annotate -M in", "profil annotate -M intel |"},
	{"profil report --color=al", "profil report --color=always |"},
	{"profil report new.", "profil report new.pb.gz |"},
	{"profil report --base=new.", "profil report --base=new.pb.gz |"},
	{"profil record -o new.t", "profil record -o new.txt |"},
	{"profil annotate --symfs ne", "profil annotate --symfs newer/|"},
	{"profil record -p 1 --user", "profil record -p 1 --user-only |"},
	{"profil record -- base64 oth", "profil record -- base64 other |"},
	{"profil record base64 oth", "profil record base64 other |"},
	{"profil record -F 100 -- /usr/bin/base6", "profil record -F 100 -- /usr/bin/base64 |"},
	{"profil record -a -- base64 oth", "profil record -a -- base64 other |"},
};

} // namespace

TEST_CASE("subcommands are completed, with what they do", "[cli][completion]")
{
	CHECK(offered("re") == std::vector<std::string>{"record", "report", ":none"});
	CHECK(contains(offered("help ''"), "status"));
	CHECK(contains(offered("--"), "--version"));
	CHECK(offered("frobnicate ''") == std::vector<std::string>{":none"});
	CHECK(lines_of(run(profil_path() + " __complete rec").text).at(0) ==
	      "record\trecord where processes spend their CPU time, or where events occur");
}

TEST_CASE("every long option in a help text is offered, and every offered option is in a help text",
	  "[cli][completion]")
{
	for (const std::string &command : subcommands()) {
		const std::string help = run(profil_path() + " " + command + " --help").text;
		const std::vector<std::string> options = offered(command + " --");

		CAPTURE(command);
		CHECK(contains(options, "--help"));
		for (const std::string &line : lines_of(help)) {
			const size_t dashes = line.find("--");

			if (line.find_first_not_of(' ') == line.npos ||
			    line[line.find_first_not_of(' ')] != '-' || dashes == line.npos ||
			    line.substr(dashes, 3) == "-- ")
				continue;
			const std::string name =
				line.substr(dashes, line.find_first_of(" ,", dashes) - dashes);

			CAPTURE(line);
			CHECK(contains(options, name));
		}
		for (const std::string &line :
		     lines_of(run(profil_path() + " __complete " + command + " --").text)) {
			CAPTURE(line);
			if (line.starts_with("--"))
				CHECK(cells_of(line).size() == 2);
		}
	}
}

TEST_CASE("values are completed from what the options take", "[cli][completion]")
{
	std::vector<std::string> formats = offered("export --format ''");
	std::vector<std::string> keys = offered("report --sort ''");
	std::vector<std::string> servers = offered("push --format ''");

	CHECK(formats.size() == cli::export_formats().size() + 1);
	for (const cli::ExportFormat &format : cli::export_formats())
		CHECK(contains(formats, std::string(format.name)));
	CHECK(keys.size() == cli::all_sort_keys().size() + 1);
	for (const std::string &key : keys)
		CHECK((key == ":none" || cli::parse_sort_keys(key)));
	CHECK(servers.size() == cli::push_format_names().size() + 1);
	CHECK(offered("report --sort function,in") == std::vector<std::string>{"function,inlined", ":none"});
	CHECK(offered("report --sort=function,in") ==
	      std::vector<std::string>{"--sort=function,inlined", ":none"});
	CHECK(offered("report -sfunction,in") == std::vector<std::string>{"-sfunction,inlined", ":none"});
	CHECK(offered("report --filter fu") == std::vector<std::string>{"function=", "function!=", ":none"});
	CHECK(contains(offered("record -u ro"), "root"));
	CHECK(offered("report --limit ''") == std::vector<std::string>{":none"});
}

TEST_CASE("words that are completed for an option are words that it takes", "[cli][completion]")
{
	for (const std::string option :
	     {"report --by", "report --color", "annotate --color", "annotate -M"}) {
		for (const std::string &word : offered(option + " ''")) {
			CAPTURE(option, word);
			if (word != ":none")
				CHECK(run(profil_path() + " " + option + " " + word + " --frob")
					      .text.find("there is no option --frob") != std::string::npos);
		}
	}
}

TEST_CASE("processes are completed by PID, with their names, and by name", "[cli][completion]")
{
	const std::string own = std::to_string(getpid());
	const std::vector<std::string> lines =
		lines_of(run(profil_path() + " __complete record -p 1," + own).text);

	CHECK(contains(lines, "1," + own + "\thost"));
	CHECK(contains(offered("record --name ho"), "host"));
	CHECK(offered("record -p 12x") == std::vector<std::string>{":none"});
}

TEST_CASE("annotate completes the functions of the profile", "[cli][completion]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	cli::Profile profile = sample_profile();

	profile.functions[0].name = "void words::sort(int)";
	std::ofstream(file, std::ios::binary) << cli::encode_pprof(profile);
	for (const std::string &input : {"-i " + file, "--input=" + file, "--input " + file, "-i" + file}) {
		CAPTURE(input);
		CHECK(offered("annotate " + input + " m") ==
		      std::vector<std::string>{"main", "memcpy", ":none"});
		CHECK(offered("annotate " + input + " so") ==
		      std::vector<std::string>{"words::sort", ":none"});
		CHECK(offered("annotate " + input + " -s words::") ==
		      std::vector<std::string>{"words::sort", ":none"});
		CHECK(offered("annotate " + input + " --symbol=mem") ==
		      std::vector<std::string>{"--symbol=memcpy", ":none"});
	}
	CHECK(offered("annotate -i " + file + ".none m") == std::vector<std::string>{":none"});
}

TEST_CASE("files are left to the shell, and so are commands where one is possible", "[cli][completion]")
{
	const std::pair<const char *, const char *> all[] = {
		{"report ''", ":profiles"},
		{"report -i ''", ":profiles"},
		{"report --base=x", ":profiles"},
		{"export x", ":profiles"},
		{"push ''", ":profiles"},
		{"record -o ''", ":files"},
		{"push --auth-token-file ''", ":files"},
		{"annotate --source-dir ''", ":directories"},
		{"annotate -i /none ''", ":none"},
		{"serve ''", ":none"},
		{"serve -p 1 -- x", ":none"},
		{"record ''", ":command 1"},
		{"record -p 1 make", ":command 3"},
		{"record -o file -- make -j", ":command 4"},
		{"record make --sort", ":command 1"},
		{"push -- make ''", ":command 2"},
		{"help record ''", ":none"},
	};

	for (const auto &[words, directive] : all) {
		CAPTURE(words);
		CHECK(offered(words) == std::vector<std::string>{directive});
	}
}

TEST_CASE("bash completes as it is typed, with bash-completion and without", "[cli][completion]")
{
	const Desk desk;
	const std::string own = "PS1=; source " + desk.script("profil.bash");

	for (const auto &[line, completed] : lines) {
		CAPTURE(line);
		CHECK(desk.typed("bash --norc", own, line) == completed);
		CHECK(desk.typed("bash --norc",
				 "PS1=; source /usr/share/bash-completion/bash_completion; source " +
					 desk.script("profil.bash"),
				 line) == completed);
	}
	CHECK(desk.typed("bash --norc", own, "profil report --filter function!") ==
	      "profil report --filter function\\!=|");
}

TEST_CASE("zsh completes as it is typed", "[cli][completion]")
{
	const Desk desk;
	const std::string setup = "unsetopt zle_bracketed_paste; PS1=; PROMPT_EOL_MARK=; fpath+=(" +
				  desk.script("") + "); autoload -U compinit; compinit -u -D";

	for (const auto &[line, completed] : lines) {
		CAPTURE(line);
		CHECK(without_suffix(desk.typed("zsh -f", setup, line)) == without_suffix(completed));
	}
}

TEST_CASE("fish completes what profil offers", "[cli][completion]")
{
	const Desk desk;

	CHECK(desk.fish("profil rec") == std::vector<std::string>{"record"});
	CHECK(desk.fish("profil export --format fol") == std::vector<std::string>{"folded"});
	CHECK(desk.fish("profil export --format=fol") == std::vector<std::string>{"--format=folded"});
	CHECK(desk.fish("profil report -s function,obj") == std::vector<std::string>{"function,object"});
	CHECK(desk.fish("profil report --percent-l") == std::vector<std::string>{"--percent-limit"});
	CHECK(contains(desk.fish("profil report new"), "new.pb.gz"));
	CHECK(desk.fish("profil record -o new.t") == std::vector<std::string>{"new.txt"});
	CHECK(desk.fish("profil annotate --symfs ne") == std::vector<std::string>{"newer/"});
	CHECK(contains(desk.fish("profil record -- base64 oth"), "other"));
	CHECK(contains(desk.fish("profil record base6"), "base64"));
}
