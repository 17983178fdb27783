// SPDX-License-Identifier: GPL-2.0-or-later
// Names of code that programs make while they run.
#include "cli/objects/jit_files.h"
#include "cli/process/process.h"
#include "cli/symbols/symbols.h"
#include "tests/support/programs.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace cli;

namespace {

std::string name_at(const JitSymbols &symbols, uint64_t address)
{
	const JitSymbols::Entry *entry = symbols.find(address);

	return entry ? entry->code->name : "";
}

JitSymbols from_map(std::string_view text)
{
	JitSymbols symbols;

	symbols.add_perf_map(text);
	return symbols;
}

/** Writes the jitdump format, little by little. */
class Dump {
public:
	Dump() { text.append("DTiJ").append(number<uint32_t>(1)).append(number<uint32_t>(40)).append(28, 0); }

	template <typename Number> static std::string number(Number value)
	{
		std::string bytes(sizeof(value), 0);

		std::memcpy(bytes.data(), &value, sizeof(value));
		return bytes;
	}

	void record(uint32_t id, const std::string &body)
	{
		text += number<uint32_t>(id) + number(static_cast<uint32_t>(16 + body.size())) +
			number<uint64_t>(0) + body;
	}

	void load(uint64_t start, const std::string &name, const std::string &code)
	{
		record(0, std::string(16, 0) + number(start) + number<uint64_t>(code.size()) +
				  number<uint64_t>(0) + name + '\0' + code);
	}

	void move(uint64_t from, uint64_t to, uint64_t size)
	{
		record(1,
		       std::string(16, 0) + number(from) + number(to) + number(size) + number<uint64_t>(0));
	}

	struct LineAt {
		uint64_t address;
		uint32_t line;
		std::string file;
	};

	void debug(const std::vector<LineAt> &places)
	{
		std::string body = number<uint64_t>(0) + number<uint64_t>(places.size());

		for (const LineAt &place : places)
			body += number(place.address) + number(place.line) + number<uint32_t>(0) +
				place.file + '\0';
		record(2, body);
	}

	std::string text;
};

JitSymbols from_dump(const std::string &content)
{
	JitSymbols symbols;
	MemorySource source(content);

	symbols.add_jitdump(source);
	return symbols;
}

/** A forked child, which does nothing. */
class Fork {
public:
	Fork()
	{
		REQUIRE(!pipe2(ends_, O_CLOEXEC));
		pid_ = fork();
		if (pid_)
			return;

		char nothing;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends_[1]);
		static_cast<void>(!read(ends_[0], &nothing, 1));
		execl("/bin/sleep", "sleep", "60", nullptr);
		_exit(127);
	}
	Fork(const Fork &) = delete;
	Fork &operator=(const Fork &) = delete;
	~Fork()
	{
		kill(pid_, SIGKILL);
		waitpid(pid_, nullptr, 0);
		close(ends_[0]);
		close(ends_[1]);
	}

	[[nodiscard]] pid_t pid() const { return pid_; }
	/** Another program does nothing from now on. */
	void run_another()
	{
		const std::string ours = program_path(getpid());

		close(std::exchange(ends_[1], -1));
		for (int looks = 0; looks < 10000 && program_path(pid_) == ours; looks++)
			usleep(1000);
		REQUIRE(program_path(pid_) != ours);
	}

private:
	int ends_[2];
	pid_t pid_;
};

/** The map of a process, for as long as this is there. */
class MapFile {
public:
	MapFile(pid_t pid, const std::string &text) : path_(fmt::format("/tmp/perf-{}.map", pid))
	{
		std::ofstream(path_) << text;
	}
	MapFile(const MapFile &) = delete;
	MapFile &operator=(const MapFile &) = delete;
	~MapFile() { unlink(path_.c_str()); }

private:
	std::string path_;
};

Mapping anonymous_at(uint64_t start)
{
	Mapping mapping;

	mapping.start = start;
	mapping.end = start + 0x1000;
	mapping.name = "[anon]";
	mapping.source = Source::Anonymous;
	return mapping;
}

/** The name of code in memory that has no file. */
std::string name_in_memory(ObjectTable &objects, pid_t pid, uint64_t address)
{
	const std::vector<Frame> frames =
		Symbols(*objects.find(pid, anonymous_at(address & ~uint64_t{0xFFF}))).frames(address, 1);

	return frames.empty() ? "" : frames[0].name;
}

} // namespace

TEST_CASE("a perf map names the code from its start to its end, with all that the name has", "[cli][jit]")
{
	const JitSymbols symbols =
		from_map("7f0000001000 20 Function:add /a b.js:3:4\n0x7f0000001020 0x10 next\n");

	CHECK(name_at(symbols, 0x7f0000000fff).empty());
	CHECK(name_at(symbols, 0x7f0000001000) == "Function:add /a b.js:3:4");
	CHECK(name_at(symbols, 0x7f000000101f) == "Function:add /a b.js:3:4");
	CHECK(name_at(symbols, 0x7f0000001020) == "next");
	CHECK(name_at(symbols, 0x7f0000001030).empty());
}

TEST_CASE("lines of a perf map that are none are left out, and so is one that is not written yet",
	  "[cli][jit]")
{
	const JitSymbols symbols =
		from_map("\nx\n10\n10 20\n10 20 \nzz 20 a\n10 zz a\n"
			 "ffffffffffffffff0 1 too-long\n"
			 "fffffffffffffff0 20 beyond-the-end\n50 0 nothing\n30 8 good\n40 8 hal");

	CHECK(name_at(symbols, 0x30) == "good");
	for (const uint64_t address : {0x10UL, 0x40UL, 0x50UL, 0xfffffffffffffff0UL, 0UL})
		CHECK(name_at(symbols, address).empty());
}

TEST_CASE("code that is told later takes the place of what was there, and leaves the rest", "[cli][jit]")
{
	const JitSymbols symbols = from_map("100 100 old\n140 20 new\n1f0 20 last\n80 90 first\n");

	CHECK(name_at(symbols, 0x80) == "first");
	CHECK(name_at(symbols, 0x10f) == "first");
	CHECK(name_at(symbols, 0x110) == "old");
	CHECK(name_at(symbols, 0x13f) == "old");
	CHECK(name_at(symbols, 0x140) == "new");
	CHECK(name_at(symbols, 0x15f) == "new");
	CHECK(name_at(symbols, 0x160) == "old");
	CHECK(name_at(symbols, 0x1ef) == "old");
	CHECK(name_at(symbols, 0x1f0) == "last");
	CHECK(name_at(symbols, 0x20f) == "last");
	CHECK(name_at(from_map("100 10 a\n110 10 b\n120 10 c\n100 30 all\n"), 0x128) == "all");
}

TEST_CASE("a jitdump names the code, with its lines, wherever it is moved", "[cli][jit]")
{
	Dump dump;

	dump.record(77, "of another version");
	dump.debug({{0x1000, 10, "a.js"}, {0x1004, 12, "\xff"}, {0x1008, 3, "b.js"}});
	dump.load(0x1000, "add", std::string(16, '\x90'));
	dump.load(0x2000, "sub", std::string(8, '\x90'));
	dump.move(0x1000, 0x3000, 16);

	const JitSymbols symbols = from_dump(dump.text);

	CHECK(name_at(symbols, 0x100f) == "add");
	CHECK(name_at(symbols, 0x1010).empty());
	CHECK(name_at(symbols, 0x2007) == "sub");
	REQUIRE(name_at(symbols, 0x3008) == "add");

	const JitSymbols::Entry &add = *symbols.find(0x3000);
	const auto place = [&](uint64_t address) { return *add.code->place_at(address - add.base); };

	CHECK(place(0x3003).line == 10);
	CHECK(place(0x3004).line == 12);
	CHECK(*place(0x3004).file == "a.js");
	CHECK(*place(0x300f).file == "b.js");
	CHECK(symbols.find(0x2000)->code->place_at(0) == nullptr);
}

TEST_CASE("code that is cut into many pieces is not copied", "[cli][jit]")
{
	const std::string name(5000, 'x');
	std::string text = "0 ffffffff " + name + "\n";

	for (int piece = 1; piece < 1000; piece++)
		text += fmt::format("{:x}00 10 small\n", piece);

	const JitSymbols symbols = from_map(text);

	/* No name is longer than any that a compiler gives. */
	CHECK(name_at(symbols, 0xfe0) == std::string(4096, 'x'));
	CHECK(symbols.find(0x10)->code == symbols.find(0x3e750)->code);
	CHECK(name_at(symbols, 0x3e70f) == "small");
}

TEST_CASE("a jitdump that ends anywhere has what came before", "[cli][jit]")
{
	Dump dump;

	dump.debug({{0x1000, 10, "a.js"}});
	dump.load(0x1000, "first", std::string(16, '\x90'));
	const size_t complete = dump.text.size();

	dump.load(0x2000, "second", std::string(16, '\x90'));
	for (size_t size = 0; size < dump.text.size(); size++) {
		CAPTURE(size);
		const JitSymbols symbols = from_dump(dump.text.substr(0, size));

		CHECK(name_at(symbols, 0x1000) == (size >= complete ? "first" : ""));
		CHECK(name_at(symbols, 0x2000).empty());
	}
	CHECK(from_dump("JiTD" + dump.text.substr(4)).empty());
	CHECK(from_dump(std::string(100, '\xff')).empty());
}

TEST_CASE("lines that V8 tells, beyond the header of an ELF file, are where the code has them", "[cli][jit]")
{
	Dump dump;

	dump.debug({{0x1040, 10, "a.js"}, {0x1060, 12, "a.js"}, {0x107f, 13, "a.js"}});
	dump.load(0x1000, "add", std::string(0x40, '\x90'));
	/* Only the first of these is where V8's would be. */
	dump.debug({{0x2000, 20, "b.js"}, {0x2040, 22, "b.js"}});
	dump.load(0x2000, "sub", std::string(0x80, '\x90'));

	const JitSymbols symbols = from_dump(dump.text);
	const auto line = [&](uint64_t address) {
		const JitSymbols::Entry &entry = *symbols.find(address);

		return entry.code->place_at(address - entry.base)->line;
	};

	CHECK(line(0x1000) == 10);
	CHECK(line(0x101f) == 10);
	CHECK(line(0x1020) == 12);
	CHECK(line(0x103f) == 13);
	CHECK(line(0x2000) == 20);
	CHECK(line(0x203f) == 20);
	CHECK(line(0x2040) == 22);
}

TEST_CASE("code has no lines if one of those that were told is elsewhere", "[cli][jit]")
{
	for (const uint64_t elsewhere : {0xfffUL, 0x1081UL, 0xffffffffffffffffUL}) {
		Dump dump;

		dump.debug({{0x1000, 10, "a.js"}, {elsewhere, 11, "a.js"}});
		dump.load(0x1000, "add", std::string(0x40, '\x90'));
		const JitSymbols symbols = from_dump(dump.text);

		CAPTURE(elsewhere);
		REQUIRE(name_at(symbols, 0x1000) == "add");
		CHECK(symbols.find(0x1000)->code->places.empty());
	}
}

TEST_CASE("a jitdump and a map have names behind hundreds of megabytes", "[cli][jit]")
{
	const support::TemporaryDirectory directory;
	Dump dump;
	JitSymbols symbols;

	/* The code itself is a hole in the file. */
	const uint32_t code = 300 << 20;
	std::ofstream file(directory / "jit-1.dump", std::ios::binary);

	dump.load(0x1000, "first", "");
	file << dump.text << Dump::number<uint32_t>(0) << Dump::number<uint32_t>(16 + 40 + 6 + code)
	     << Dump::number<uint64_t>(0) << std::string(16, 0) << Dump::number<uint64_t>(0x100000000)
	     << Dump::number<uint64_t>(code) << Dump::number<uint64_t>(0) << "large" << '\0';
	file.seekp(code, std::ios::cur);
	dump.text.clear();
	dump.load(0x3000, "last", std::string(16, '\x90'));
	file << dump.text;
	file.close();

	const Fd dump_file(open((directory / "jit-1.dump").c_str(), O_RDONLY | O_CLOEXEC));
	FileSource source(dump_file.get());

	symbols.add_jitdump(source);
	CHECK(name_at(symbols, 0x100000000 + code - 1) == "large");
	CHECK(name_at(symbols, 0x3000) == "last");
}

TEST_CASE("only files called jit-PID.dump are jitdumps", "[cli][jit]")
{
	CHECK(is_jitdump("/home/me/.debug/jit/x/jit-4711.dump"));
	CHECK(is_jitdump("jit-1.dump"));
	for (const char *other :
	     {"jit-.dump", "jit-1.dump.txt", "jit-1a.dump", "xjit-1.dump", "jit-dump", ""})
		CHECK_FALSE(is_jitdump(other));
}

TEST_CASE("memory has the names of its process's map, which may come late and be gone", "[cli][jit]")
{
	const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
	Object object;

	object.source = Source::Anonymous;
	object.name = "[anon]";
	object.jit = std::make_shared<JitFiles>(getpid());
	object.jit->look();
	CHECK(Symbols(object).frames(0x5000, 1).empty());

	std::ofstream(path) << "5000 40 jitted\n";
	/* It looks again some time later. */
	for (int looks = 0; looks < 1000 && !Symbols(object).has_functions(); looks++) {
		usleep(1000);
		object.jit->look();
	}
	unlink(path.c_str());
	REQUIRE(Symbols(object).frames(0x5010, 1).size() == 1);
	CHECK(Symbols(object).frames(0x5010, 1)[0].name == "jitted");
	CHECK(Symbols(object).frames(0x4ff0, 32)[0].name == "jitted");
	CHECK(Symbols(object).frames(0x5040, 16).empty());
}

TEST_CASE("a map that is another's, a link or no file is not taken for a process's own", "[cli][jit]")
{
	const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
	const support::TemporaryDirectory directory;
	const auto found = [] {
		JitFiles files(getpid());

		files.look();
		return !files.read().empty();
	};

	if (geteuid() == 0) {
		std::ofstream(path) << "5000 40 hostile\n";
		REQUIRE(!chown(path.c_str(), 65534, 65534));
		CHECK_FALSE(found());
		unlink(path.c_str());
	}
	std::ofstream(directory / "map") << "5000 40 linked\n";
	REQUIRE(!symlink((directory / "map").c_str(), path.c_str()));
	CHECK_FALSE(found());
	unlink(path.c_str());
	REQUIRE(!mkfifo(path.c_str(), 0600));
	CHECK_FALSE(found());
	unlink(path.c_str());
	std::ofstream(path) << "5000 40 own\n";
	CHECK(found());
	unlink(path.c_str());
}

TEST_CASE("a forked child has the names that its parent told, where it tells none itself", "[cli][jit]")
{
	const Fork child;
	const MapFile parents(getpid(), "5000 40 inherited\n5100 40 replaced\n");

	{
		ObjectTable objects;

		CHECK(name_in_memory(objects, child.pid(), 0x5010) == "inherited");
		CHECK(name_in_memory(objects, child.pid(), 0x5110) == "replaced");
		CHECK(name_in_memory(objects, child.pid(), 0x5040).empty());
	}
	const MapFile own(child.pid(), "5100 40 own\n");
	ObjectTable objects;

	CHECK(name_in_memory(objects, child.pid(), 0x5010) == "inherited");
	CHECK(name_in_memory(objects, child.pid(), 0x5110) == "own");
}

TEST_CASE("a child that runs another program has none of its parent's names", "[cli][jit]")
{
	const MapFile parents(getpid(), "5000 40 jitted\n");
	ObjectTable objects;
	Fork child;

	child.run_another();
	CHECK(name_in_memory(objects, getpid(), 0x5010) == "jitted");
	CHECK(name_in_memory(objects, child.pid(), 0x5010).empty());
}

TEST_CASE("a map of the program that runs now is not of what ran before", "[cli][jit]")
{
	Fork child;
	JitFiles files(child.pid());

	child.run_another();
	const MapFile map(child.pid(), "5000 40 jitted\n");

	files.look();
	CHECK(files.read().empty());
}

TEST_CASE("a fork leaves what an exec sets", "[cli]")
{
	const std::optional<ProgramStart> ours = program_start(getpid());
	Fork child;

	REQUIRE(ours);
	CHECK(parent_of(child.pid()) == getpid());
	CHECK(program_start(child.pid()) == ours);
	child.run_another();
	CHECK(program_start(child.pid()) != ours);
	CHECK_FALSE(program_start(4194304));
	CHECK(parent_of(4194304) == 0);
}
