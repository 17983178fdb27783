// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/annotation/objects.cpp  Objects and sources that are missing, changed or
 * elsewhere, and hostile profiles. */
#include "cli/profile/pprof.h"
#include "tests/host/cli/annotation/support.h"

#include <climits>
#include <fstream>
#include <sys/stat.h>

using namespace cli;
using namespace annotate_test;
using support::run;
using support::TemporaryDirectory;

namespace {

constexpr char straight[] = "_Z8straightm";

/** 1 sample at the first instruction of straight(), 3 at its last. */
Profile profile_of_straight(const std::string &program)
{
	const std::vector<Listed> listed = objdump(program, straight);

	return profile_of(program, {{listed[0].address, 1}, {listed.back().address, 3}});
}

/** Checks that without its object, a function is annotated from the profile alone. */
void check_as_recorded(const Profile &profile, const std::string &reason)
{
	const Annotation annotation = annotate(profile, straight);
	const std::string text = text_of(annotation);

	INFO(text);
	CHECK(annotation.parts.empty());
	CHECK(stray_samples(annotation) == 4);
	CHECK(has(text, "  no instructions: " + reason));
	CHECK(has(text, fmt::format("      3   75.00  ########      {:>8x}   annotate.cpp:30\n",
				    profile.locations[1].address)));
	CHECK(has(text, "      1   25.00  ###          9          value ^= value << 13;\n"));
	CHECK(has(text, "      4  100.00  ##########  all samples of the function\n"));
}

std::string file_line(SourceFiles &sources, const std::string &path, int64_t number)
{
	return std::string(sources.line(path, number).value_or("(none)"));
}

} // namespace

TEST_CASE("without the object, samples are shown by address and line, with the reason", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const Profile profile = profile_of_straight(program);

	REQUIRE(unlink(program.c_str()) == 0);
	check_as_recorded(profile, program + ": No such file or directory (--symfs names");
}

TEST_CASE("an object with another build-id is not taken for the recorded one", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O1 -g -Wl,--build-id=0x0123456789abcdef");
	Profile profile = profile_of_straight(program);

	CHECK(annotate(profile, straight).parts.size() == 1);
	profile.mappings[0].build_id = "ABcd";
	check_as_recorded(profile, program + " is not the recorded file: its build-id is 01234567, but "
					     "ABcd was recorded (--symfs names");
	profile.mappings[0].build_id = "0123456789ABCDEF";
	CHECK(annotate(profile, straight).parts.size() == 1);
	compile(directory, "-O1 -g -Wl,--build-id=none");
	check_as_recorded(profile, program + " is not the recorded file: its build-id is missing");
}

TEST_CASE("without a recorded build-id, the instructions are shown with a note", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O1 -g -Wl,--build-id=none");
	const Annotation annotation = annotate(profile_of_straight(program), straight);

	CHECK(annotation.parts.size() == 1);
	REQUIRE(annotation.notes.size() == 1);
	CHECK(has(annotation.notes[0], "the profile has no build-id for it"));
}

TEST_CASE("a file that is not an object is reported", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	Profile profile = profile_of_straight(program);

	profile.mappings[0].build_id.clear();
	std::ofstream(program) << "no program";
	check_as_recorded(profile, program + ": not an ELF file for x86-64, i386 or AArch64");
	REQUIRE((unlink(program.c_str()) == 0 && mkfifo(program.c_str(), 0600) == 0));
	check_as_recorded(profile, program + ": not a regular file");
	profile.mappings[0].filename = "[vdso]";
	check_as_recorded(profile, "[vdso]: not a regular file");
}

TEST_CASE("the directory of --symfs is put before the paths of objects", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	Profile profile = profile_of_straight(program);

	profile.mappings[0].filename = "/program";
	CHECK(annotate(profile, straight).parts.empty());
	CHECK(annotate(profile, straight, {directory / "", Syntax::Att}).parts.size() == 1);
}

TEST_CASE("functions of a stripped object are shown from where they begin", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O1");
	const std::vector<Listed> listed = objdump(program, straight);

	REQUIRE(run("strip " + program).status == 0);
	const Profile profile = profile_of(program, {{listed[1].address, 6}});
	const std::string name = fmt::format("program+{:#x}", listed[0].address);
	const Annotation annotation = annotate(profile, name);

	CHECK(counts_of(annotation) == std::map<uint64_t, uint64_t>{{listed[1].address, 6}});
	for (size_t i = 0; i < listed.size(); i++)
		CHECK(annotation.parts.at(0).instructions.at(i).code.address == listed[i].address);
	CHECK(has(text_of(annotation), "no source: the lines are unknown"));
}

TEST_CASE("a missing source is reported, and its line numbers remain", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory, "-O1 -g -ffile-prefix-map=$PWD=/gone");
	const Annotation annotation = annotate(profile_of_straight(program), straight);
	const std::string text = text_of(annotation);

	CHECK(has(
		text,
		"  no source: /gone/tests/host/data/annotate.cpp: No such file or directory (--source-dir"));
	CHECK(has(text, " annotate.cpp:30\n"));
	CHECK(has(text_of(annotation, {.instructions = false}), "      3   75.00  ########    30\n"));
}

TEST_CASE("of many missing sources three are named, and the others counted", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	Annotation annotation = annotate(profile_of_straight(compile(directory, "-O1")), straight);
	std::vector<AnnotatedInstruction> &instructions = annotation.parts.at(0).instructions;

	REQUIRE(instructions.size() > 4);
	for (size_t i = 0; i < 4; i++)
		instructions[i].source = {fmt::format("/gone/{}.c", i), 1};
	CHECK(has(text_of(annotation), "no source: /gone/2.c: No such file"));
	CHECK(has(text_of(annotation), "\n  no source: 1 more file\n"));
	instructions[4].source = {"/gone/4.c", 1};
	CHECK(has(text_of(annotation), "\n  no source: 2 more files\n"));
}

TEST_CASE("sources are found below --source-dir, and by --path-prefix", "[cli][annotate]")
{
	const TemporaryDirectory directory;

	REQUIRE(run(fmt::format("cd {} && mkdir -p a/src b && echo deep >a/src/x.c && echo flat >b/x.c && "
				"mkfifo a/pipe.c && printf 'one\\r\\ntwo' >b/dos.c",
				directory / ""))
			.status == 0);
	SourceFiles nowhere;
	SourceFiles deep({directory / "b", directory / "a"});
	SourceFiles flat({directory / "b"});
	SourceFiles mapped({}, {{"/build/s", "/nonexistent"}, {"/build", directory / "a"}});

	CHECK(file_line(nowhere, "/build/src/x.c", 1) == "(none)");
	CHECK(has(nowhere.file("/build/src/x.c").problem, "/build/src/x.c: No such file"));
	CHECK(has(nowhere.file("x.c").problem, "x.c: a relative path"));
	CHECK(file_line(flat, "/build/src/x.c", 1) == "flat");
	CHECK(file_line(flat, "x.c", 1) == "flat");
	CHECK(file_line(deep, "/build/src/x.c", 1) == "flat");
	/* A prefix matches whole components only: "/build/s" is not a prefix of "/build/src". */
	CHECK(file_line(mapped, "/build/src/x.c", 1) == "deep");
	CHECK(has(mapped.file("/build/pipe.c").problem, "not a regular file"));
	CHECK(file_line(flat, "/dos.c", 1) == "one");
	CHECK(file_line(flat, "/dos.c", 2) == "two");
	for (const int64_t number : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{3}, INT64_MAX})
		CHECK(file_line(flat, "/dos.c", number) == "(none)");
}

TEST_CASE("the new prefix of --path-prefix may be relative", "[cli][annotate]")
{
	const std::string root = std::filesystem::absolute("tests/host").lexically_normal();
	SourceFiles mapped({}, {{root, "tests/host"}, {"/nothing", ""}});

	CHECK(mapped.file(root + "/data/annotate.cpp").found == "tests/host/data/annotate.cpp");
	CHECK(has(mapped.file("/nothing").problem, "No such file"));
}

TEST_CASE("a path that is too long for a file is reported", "[cli][annotate]")
{
	std::string path;

	while (path.size() < PATH_MAX)
		path += "/directory";

	SourceFiles sources({"/usr/src"});

	CHECK(sources.file(path).found.empty());
	CHECK(sources.file(path).problem ==
	      "/directory/directory/directory/directory/directory/director…: File name too long");
}

TEST_CASE("a source that is newer than the object is reported", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const Profile profile = profile_of_straight(program);

	CHECK_FALSE(has(text_of(annotate(profile, straight)), "is newer than the object"));
	REQUIRE(run("touch -d 2001-01-01 " + program).status == 0);
	CHECK(has(text_of(annotate(profile, straight)), source() + " is newer than the object"));
}

TEST_CASE("hostile counts, addresses and names are shown, and end in time", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	Profile profile = profile_of_straight(program);

	profile.functions[0].name = profile.functions[0].system_name = "evil\x1b[2J\nname";
	profile.functions[0].filename = "/dev/zero\x1b";
	profile.functions[0].start_line = INT64_MAX;
	profile.locations.clear();
	profile.samples.clear();
	for (const uint64_t address :
	     {uint64_t{0}, UINT64_MAX, UINT64_MAX - 1, uint64_t{1} << 63, uint64_t{0x1000}}) {
		profile.samples.push_back({{profile.locations.size()}, {INT64_MAX, 0}, {}});
		profile.locations.push_back({0, address, {{0, address ? INT64_MAX : INT64_MIN}}});
	}
	const Annotation annotation = annotate(profile, profile.functions[0].name);
	const std::string text = text_of(annotation, {.width = 80, .summary = true});
	uint64_t sum = stray_samples(annotation);

	for (const auto &[address, samples] : counts_of(annotation))
		sum = saturating_add(sum, samples);
	CHECK(annotation.samples == UINT64_MAX);
	CHECK(annotation.total == UINT64_MAX);
	CHECK(sum == UINT64_MAX);

	uint64_t lines = 0;

	for (const auto &[line, came] : counts_by_line(annotation))
		lines = saturating_add(lines, came.samples);
	CHECK(lines == UINT64_MAX);
	CHECK(has(text, "18,446,744,073,709,551,615  100.00  ##########  all samples of the func"));
	CHECK(text.find('\x1b') == text.npos);
	CHECK(has(text, "evil?[2J?name"));
	profile.locations[0].mapping.reset();
	CHECK_FALSE(functions_of(profile).empty());
	profile.samples.clear();
	CHECK(functions_of(profile).empty());
}

TEST_CASE("samples beyond the end of the file's text belong to no instruction", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	Profile profile = profile_of_straight(program);

	profile.locations[1].address = profile.mappings[0].limit + 0x10000;
	const Annotation annotation = annotate(profile, straight);

	CHECK(stray_samples(annotation) == 3);
	REQUIRE(annotation.parts.size() == 1);
	CHECK(annotation.parts[0].samples == 1);
}
