// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/annotate/command.cpp  The disassembler, the choice of
 * functions, and the command's options. */
#include "cli/profile/pprof.h"
#include "cli/rows/flat.h"
#include "tests/host/cli/annotation/support.h"
#include "tests/host/cli/sample_profile.h"

#include <fstream>

using namespace cli;
using namespace annotate_test;
using support::run;
using support::TemporaryDirectory;

namespace {

std::vector<Instruction> decode(Machine machine, std::string_view bytes, Syntax syntax = Syntax::Att)
{
	const Result<Disassembler> disassembler = Disassembler::open(machine, syntax);

	REQUIRE(disassembler);
	return disassembler->decode(bytes, 0x1000);
}

/** The names of the chosen functions, or the error. */
std::string chosen(const Profile &profile, const std::string &wanted)
{
	const Result<std::vector<FunctionSamples>> found = choose_functions(functions_of(profile), wanted);
	std::string names;

	if (!found)
		return found.error().text;
	for (const FunctionSamples &one : *found)
		names += (names.empty() ? "" : " ") + one.name;
	return names;
}

support::Output profil(const std::string &arguments)
{
	return run(support::build_dir() + "/profil annotate " + arguments);
}

std::string write(const TemporaryDirectory &directory, const Profile &profile)
{
	std::string path = directory / "test.pb.gz";

	std::ofstream(path, std::ios::binary) << encode_pprof(profile);
	return path;
}

} // namespace

TEST_CASE("machines and syntaxes are told apart", "[cli][annotate]")
{
	/* jne -2; call +0; ret */
	const std::string_view x86("\x75\xfe\xe8\0\0\0\0\xc3", 8);
	/* b.ne -4; bl +8; nop */
	const std::string_view arm("\xe1\xff\xff\x54\x02\0\0\x94\x1f\x20\x03\xd5", 12);
	const std::vector<Instruction> att = decode(Machine::X86_64, x86);
	const std::vector<Instruction> aarch64 = decode(Machine::Aarch64, arm);

	REQUIRE(att.size() == 3);
	CHECK(att[0] == Instruction{0x1000, "\x75\xfe", "jne    0x1000", Flow::Jump, 0x1000});
	CHECK(att[1].flow == Flow::Call);
	CHECK(att[1].target == 0x1007);
	CHECK(att[2].text == "retq");
	CHECK(decode(Machine::I386, "\x48").at(0).text == "decl   %eax");
	CHECK(decode(Machine::X86_64, "\x89\xd8", Syntax::Intel).at(0).text == "mov    eax, ebx");
	CHECK(decode(Machine::X86_64, "\x89\xd8").at(0).text == "movl   %ebx, %eax");
	REQUIRE(aarch64.size() == 3);
	CHECK(aarch64[0].flow == Flow::Jump);
	CHECK(aarch64[0].target == 0xffc);
	CHECK(aarch64[1].flow == Flow::Call);
	CHECK(aarch64[1].target == 0x100c);
	CHECK(aarch64[2].text == "nop");
}

TEST_CASE("a jump back to an exit is not a loop, a jump that comes round is", "[cli][annotate]")
{
	const auto extents = [](std::string_view bytes) {
		std::vector<AnnotatedInstruction> instructions;
		std::vector<Extent> found;

		for (Instruction &code : decode(Machine::X86_64, bytes))
			instructions.push_back({std::move(code), "", {}, 1, false});
		for (const Loop &loop : find_loops(instructions))
			found.push_back(loop.extent);
		return found;
	};

	/* ret; nop; jne to ret; jne to nop */
	CHECK(extents("\xc3\x90\x75\xfc\x75\xfb") == std::vector<Extent>{{0x1001, 0x1006}});
	/* jmp *%rax, whose target is unknown; jmp back to it */
	CHECK(extents("\xff\xe0\xeb\xfc") == std::vector<Extent>{{0x1000, 0x1004}});
	/* jmp to itself */
	CHECK(extents("\x90\xeb\xfe") == std::vector<Extent>{{0x1001, 0x1003}});
}

TEST_CASE("bytes that are not an instruction are skipped one by one", "[cli][annotate]")
{
	const std::vector<Instruction> instructions =
		decode(Machine::X86_64, std::string_view("\x06\xc3\x0f", 3));

	REQUIRE(instructions.size() == 3);
	CHECK(instructions[0].text == "(bad)");
	CHECK(instructions[1].text == "retq");
	CHECK(instructions[2] == Instruction{0x1002, "\x0f", "(bad)", Flow::On, std::nullopt});
	CHECK(decode(Machine::X86_64, "").empty());
	CHECK(decode(Machine::Aarch64, std::string_view("\0\0\0\0\0\0", 6)).at(1).bytes.size() == 2);
}

TEST_CASE("a function is found by each of its names", "[cli][annotate]")
{
	const Profile profile = sample_profile();

	for (const char *wanted :
	     {"work(int)", "work", "_Z4worki", "program:work", "/opt/bin/program:work(int)",
	      "program:_Z4worki", "/^work", "/^work/", "/^_Z4"})
		CHECK(chosen(profile, wanted) == "work(int)");
	CHECK(chosen(profile, "libc.so.6+0x99990") == "libc.so.6+0x99990");
	CHECK(chosen(profile, "/m") == "main memcpy");
	CHECK(functions_of(profile).at(0).own == 700);
	CHECK(function(profile, "work").own == 0);
	CHECK(function(profile, "work").inlined == 700);
}

TEST_CASE("a template's function is found with its arguments, and without them", "[cli][annotate]")
{
	Profile profile = sample_profile();

	for (const auto &[name, wanted] : std::initializer_list<std::pair<const char *, const char *>>{
		     {"void f<int>(int)", "f<int>"},
		     {"void f<int>(int)", "f"},
		     {"cli::(anonymous namespace)::f(int)", "cli::(anonymous namespace)::f"},
		     {"std::map<int, int>::find(int const&)", "program:std::map<int, int>::find"},
		     {"A::operator()(int)", "A::operator()"}}) {
		profile.functions[1].name = name;
		CAPTURE(wanted);
		CHECK(chosen(profile, wanted) == name);
	}
	CHECK(has(chosen(profile, "A::operator"), "no function 'A::operator' has samples"));
}

TEST_CASE("a function is found without what it is in, if there is no other of that name", "[cli][annotate]")
{
	Profile profile = sample_profile();

	profile.functions[0].name = "void words::sort(std::vector<int, std::allocator<int> >&)";
	profile.functions[1].name = "void other<int>::run(int)";
	CHECK(chosen(profile, "sort") == profile.functions[0].name);
	CHECK(chosen(profile, "program:run") == profile.functions[1].name);
	CHECK(chosen(profile, "words::sort") == profile.functions[0].name);
	CHECK(chosen(profile, "srot") == "no function 'srot' has samples; did you mean\n"
					 "  /opt/bin/program:words::sort  (700 samples)");

	/* An ordinary function is preferred to an instance of a template. */
	profile.functions[1].name = "void std::sort<int*>(int*, int*)";
	CHECK(chosen(profile, "sort") == profile.functions[0].name);
	CHECK(chosen(profile, "std::sort") == profile.functions[1].name);
	profile.functions[0].name = "words::order(int)";
	CHECK(chosen(profile, "sort") == profile.functions[1].name);
	profile.functions[0].name = "void words::sort(int)";
	profile.functions[1].name = "other::sort(int)";
	CHECK(chosen(profile, "sort") == "'sort' is more than one function:\n"
					 "  /opt/bin/program:other::sort  (700 samples)\n"
					 "  /opt/bin/program:words::sort  (700 samples)");
}

TEST_CASE("functions that read alike are listed so that each can be chosen", "[cli][annotate]")
{
	Profile profile = sample_profile();

	profile.functions[0].name = "sort(std::vector<int, std::allocator<int> >&)";
	profile.functions[1].name = "sort(int)";
	CHECK(chosen(profile, "sort") == "'sort' is more than one function:\n"
					 "  /opt/bin/program:sort(int)  (700 samples)\n"
					 "  /opt/bin/program:sort(std::vector<int>&)  (700 samples)");
	CHECK(chosen(profile, "sort(std::vector<int>&)") == profile.functions[0].name);
	CHECK(chosen(profile, "program:sort(int)") == "sort(int)");
}

TEST_CASE("no expression matches a name that is not there", "[cli][annotate]")
{
	Profile profile = sample_profile();

	profile.functions[1].system_name.clear();
	CHECK(chosen(profile, "/^$/") == "no function with samples matches '^$'");
	profile.functions[1].name.clear();
	profile.functions[1].system_name = "_main";
	CHECK(chosen(profile, "_main") == "_main");
}

TEST_CASE("a function's share is that of the report, which includes samples without a place",
	  "[cli][annotate]")
{
	Profile profile = sample_profile();

	profile.samples.push_back({{}, {1000, 0}, {}});
	const Annotation annotation = annotate(profile, "main");

	CHECK(annotation.total == flatten(profile, {}).samples);
	CHECK(annotation.total == 2000);
	CHECK(has(text_of(annotation), "  700 samples, 35.00 % of the profile's 2,000\n"));
}

TEST_CASE("the error for an unknown function suggests others", "[cli][annotate]")
{
	const Profile profile = sample_profile();

	CHECK(chosen(profile, "memcopy") == "no function 'memcopy' has samples; did you mean\n"
					    "  /usr/lib/libc.so.6:memcpy  (200 samples)");
	CHECK(has(chosen(profile, "libc.so.6:main"), "no function 'libc.so.6:main' has samples"));
	CHECK(has(chosen(profile, "qqqqqqqqqqq"),
		  "those with most are\n  /opt/bin/program:main  (700 samples)"));
	CHECK(chosen(profile, "/qqq") == "no function with samples matches 'qqq'");
	CHECK(has(chosen(profile, "/("), "'(' is not a regular expression: "));
}

TEST_CASE("a name of two functions lists both", "[cli][annotate]")
{
	Profile profile = sample_profile();

	profile.locations[1].lines = {{1, 0}};
	CHECK(chosen(profile, "main") == "'main' is more than one function:\n"
					 "  /opt/bin/program:main  (700 samples)\n"
					 "  /usr/lib/libc.so.6:main  (200 samples)");
	CHECK(chosen(profile, "/usr/lib/libc.so.6:main") == "main");
	CHECK(chosen(profile, "program:main") == "main");
}

TEST_CASE("annotate shows the functions with most samples, and one that is named", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const uint64_t nested = objdump(program, "_Z6nestedm")[0].address;
	const uint64_t straight = objdump(program, "_Z8straightm").back().address;
	const std::string file =
		" -i " + write(directory, profile_of(program, {{nested, 70}, {straight, 30}}));
	const support::Output all = profil(file);
	const support::Output one = profil("straight" + file);

	CHECK(all.status == 0);
	CHECK(line_of(all.text, "nested(unsigned long)\n") <
	      line_of(all.text, "\nstraight(unsigned long)\n"));
	CHECK(one.status == 0);
	CHECK(one.text.starts_with("straight(unsigned long)\n  " + program + ", " + source() +
				   ":27\n  30 samples, 30.00 % of the profile's 100\n"));
	CHECK(profil("-s straight --stdio" + file).text == one.text);
	CHECK(profil(file + " --source-dir /no --path-prefix /a=/b straight").text == one.text);
	CHECK(has(profil("--limit 1" + file).text, "\n... and 1 more function\n"));
	CHECK_FALSE(has(profil("--source-only" + file).text, fmt::format(" {:x}:  ", straight)));
	CHECK(profil("--no-source" + file).text == profil("--asm-only" + file).text);
	CHECK_FALSE(has(profil("--asm-only" + file).text, "annotate.cpp:29"));
	CHECK(has(profil("--asm-raw straight" + file).text, fmt::format(" {:x}:  c3 ", straight)));
	CHECK(has(profil("-M intel straight" + file).text, "rdx, rdi"));
	CHECK(has(profil("-l straight" + file).text,
		  "  line\n     30  100.00  ##########  annotate.cpp:30\n"));
	CHECK(profil("nothing" + file).status == 1);
	CHECK(has(profil("strait" + file).text,
		  "profil annotate: no function 'strait' has samples; did you mean\n"
		  "  " + program +
			  ":straight  (30 samples)\n"));
}

TEST_CASE("annotate without a usable libcapstone names the package, other commands do not load it",
	  "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::string file =
		" -i " +
		write(directory, profile_of(program, {{objdump(program, "_Z6nestedm")[0].address, 7}}));
	const std::string command =
		"LD_LIBRARY_PATH=" + (directory / "") + " " + support::build_dir() + "/profil ";

	/* The loader finds these files first, and rejects them. */
	for (int version = 1; version < 20; ++version)
		std::ofstream(directory / fmt::format("libcapstone.so.{}", version)) << "not a library";

	const support::Output annotated = run(command + "annotate" + file);

	INFO(annotated.text);
	CHECK(has(annotated.text, "cannot disassemble: "));
	CHECK(has(annotated.text, "(install Debian's package libcapstone"));
	CHECK(run(command + "report" + file).status == 0);
}

TEST_CASE("colours are for terminals, unless told otherwise", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::string program = compile(directory);
	const std::string file =
		" -i " +
		write(directory, profile_of(program, {{objdump(program, "_Z6nestedm")[0].address, 7}}));
	const std::string on_terminal = "script -qec '" + support::build_dir() + "/profil annotate" + file;
	const std::string red = "\x1b[31m";

	CHECK_FALSE(has(profil(file).text, "\x1b"));
	CHECK(has(profil("--color always" + file).text, red));
	CHECK(has(run("TERM=xterm " + on_terminal + "' /dev/null").text, red));
	CHECK_FALSE(has(run("NO_COLOR=1 TERM=xterm " + on_terminal + "' /dev/null").text, red));
	CHECK_FALSE(has(run("TERM=dumb " + on_terminal + "' /dev/null").text, red));
	CHECK_FALSE(has(run("env -u TERM " + on_terminal + "' /dev/null").text, red));
	CHECK_FALSE(has(run("TERM=xterm " + on_terminal + " --color never' /dev/null").text, red));
}

TEST_CASE("annotate reports wrong usage and empty profiles", "[cli][annotate]")
{
	const TemporaryDirectory directory;
	const std::pair<const char *, const char *> all[] = {
		{"--color blue", "--color: 'blue' is not auto, always or never"},
		{"-M arm", "'arm' is not att or intel"},
		{"--path-prefix /a", "'/a' is not OLD=NEW"},
		{"--limit 0", "'0' is not a whole number above 0"},
		{"--asm-only --source-only", "leave nothing to show"},
		{"-s a b", "the function is given twice"},
		{"old.pb.gz", "old.pb.gz is a profile, not a function: use -i old.pb.gz"},
		{"a b", "unexpected argument: b"},
	};

	for (const auto &[arguments, words] : all) {
		const support::Output output = profil(arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 2);
		CHECK(has(output.text, words));
	}

	Profile nothing = sample_profile();

	nothing.samples.clear();

	const support::Output empty = profil("-i " + write(directory, nothing));

	CHECK(empty.status == 1);
	CHECK(has(empty.text, "test.pb.gz: no samples: nothing to annotate"));
	CHECK(has(run(support::build_dir() + "/profil help annotate").text, "How to read it"));
}
