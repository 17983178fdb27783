// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/files.cpp  The files of texts: files that are replaced, overwritten,
 * deleted, in an overlay, or in another mount namespace.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/mounted.h"
#include "tests/support/catch.h"

#include <cstring>
#include <filesystem>
#include <set>
#include <sys/mount.h>
#include <sys/stat.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual, elsewhere = text + 0x4000000;

void check_whole(const Recording &recording)
{
	const profil_status status = recording.status();

	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(status.lost_full == 0);
	CHECK(status.ticks == causes(status));
}

/** The ticks in the text with this number. */
uint64_t in_text(const Recording &recording, uint32_t number)
{
	return recording.sum([&](const Row &row) { return row.text.number == number; });
}

/** The texts with a file whose path begins with @p place. */
std::vector<Described> texts_at(const Recording &recording, const std::string &place)
{
	std::vector<Described> all;
	std::set<uint32_t> seen;

	for (const Row &row : recording.rows())
		if (row.text.place.starts_with(place) && seen.insert(row.text.number).second)
			all.push_back(row.text);
	return all;
}

/** Bytes at an offset of a text's file. */
std::string bytes_of(const Recording &recording, uint32_t number, size_t bytes, off_t at)
{
	const Fd opened(recording.described(number, PROFIL_DESCRIBE_OPEN).fd);
	std::string content(bytes, '\0');

	content.resize(need(static_cast<int>(pread(opened.get(), content.data(), bytes, at)), "pread"));
	return content;
}

/** Write a word before the loop, to distinguish the file from others. */
void mark(int fd, const char *word)
{
	need_that(pwrite(fd, word, strlen(word), 0) == static_cast<ssize_t>(strlen(word)), "a mark");
}

/** An overlay file system of two directories in memory. */
class Overlay {
public:
	std::string lower(const std::string &name) const { return layers_.path() + "/lower/" + name; }
	std::string path(const std::string &name) const { return merged_.path() + "/" + name; }

private:
	static std::string options(const std::string &in)
	{
		for (const char *layer : {"/lower", "/upper", "/work"})
			std::filesystem::create_directory(in + layer);
		return "lowerdir=" + in + "/lower,upperdir=" + in + "/upper,workdir=" + in + "/work";
	}

	Mounted layers_{"profil-layers"};
	Mounted merged_{"profil-merged", "overlay", options(layers_.path())};
};

} // namespace

TEST_CASE_METHOD(AtRest, "a file that replaces another one by its name is another text", "[record]")
{
	const LoopFile before("profil-text"), after("profil-new");
	const std::string path = before.path();
	mark(before.fd(), "before");
	mark(after.fd(), "after!");
	Steps one([&](auto spin) {
		before.map(text);
		spin(text);
	});
	Recording recording;

	recording.begin(one.pid());
	REQUIRE(grows([&] { return recording.in_file(path); }));
	std::filesystem::rename(after.path(), path);
	Steps other([&](auto spin) {
		after.map(text);
		spin(text);
	});
	REQUIRE(recording.add(other.pid()) == 0);
	CHECK(grows([&] { return recording.in_file(path); }));
	CHECK(grows([&] { return recording.in_file(path + " (deleted)"); }));
	recording.finish();
	const auto texts = texts_at(recording, path);
	REQUIRE(texts.size() == 2);
	for (const Described &one_text : texts)
		CHECK(bytes_of(recording, one_text.number, 6, 0) ==
		      (one_text.place == path ? "after!" : "before"));
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "a file that is written over is another text", "[record]")
{
	const bool grown = GENERATE(false, true);
	const LoopFile file("profil-text");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.in_file(file.path()); }));
	const auto before = texts_at(recording, file.path());
	REQUIRE(before.size() == 1);
	/* A copy over a library changes the library's size and time, or only its time. */
	if (grown) {
		need(ftruncate(file.fd(), 3 * LoopFile::offset), "ftruncate");
	} else {
		const timespec times[2] = {{1, 0}, {1, 0}};
		need(futimens(file.fd(), times), "futimens");
	}
	outlast_belief();
	const uint64_t last = in_text(recording, before[0].number);
	CHECK(grows([&] { return recording.in_file(file.path()); }));
	CHECK(in_text(recording, before[0].number) == last);
	recording.finish();
	const auto after = texts_at(recording, file.path());
	REQUIRE(after.size() == 2);
	for (const Described &one : after)
		CHECK(one.bytes == (one.number == before[0].number || !grown ? 2 : 3) * LoopFile::offset);
	CHECK(after[0].inode == after[1].inode);
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "a program of an overlay is the same text when it is executed and mapped",
		 "[record]")
{
	const Overlay overlay;
	const std::string path = overlay.path("record_short");
	const Gate go;
	std::filesystem::copy_file(program("record_short"), overlay.lower("record_short"));
	Child child([&] {
		go.wait();
		execl(path.c_str(), path.c_str(), "1000000", "fork", nullptr);
		need(-1, path.c_str());
	});
	Recording recording;
	const auto of_program = [&](const Row &row) {
		return row.owner.who() == "record_short" && row.text.kind == PROFIL_KIND_FILE;
	};

	recording.begin(child.pid());
	go.open();
	CHECK(grows([&] { return recording.sum(of_program); }));
	recording.finish();
	for (const Row &row : recording.rows()) {
		if (!of_program(row))
			continue;
		CHECK(row.text.place == path);
		CHECK(row.text.number == row.owner.text);
		CHECK(bytes_of(recording, row.text.number, 4, 0) == "\177ELF");
	}
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "a library of an overlay that is copied up is another text from then on", "[record]")
{
	const Overlay overlay;
	const std::string path = overlay.path("library");
	{
		const Fd lower(need(open(overlay.lower("library").c_str(), O_RDWR | O_CREAT, 0755), "lower"));
		LoopFile::fill(lower.get());
	}
	const auto mapped = [&](auto spin) {
		const Fd file(need(open(path.c_str(), O_RDONLY), path.c_str()));
		LoopFile::map(file.get(), text);
		spin(text);
	};
	Steps before(mapped);
	Recording recording;

	recording.begin(before.pid());
	REQUIRE(grows([&] { return recording.in_file(path); }));
	const auto lower = texts_at(recording, path);
	REQUIRE(lower.size() == 1);
	/*
	 * Opening the file for writing copies it to the upper layer, and the copy is another file.
	 */
	mark(Fd(need(open(path.c_str(), O_RDWR), path.c_str())).get(), "upper");
	outlast_belief();
	CHECK(grows([&] { return in_text(recording, lower[0].number); }));
	CHECK(texts_at(recording, path).size() == 1);
	Steps after(mapped);
	REQUIRE(recording.add(after.pid()) == 0);
	CHECK(soon([&] { return texts_at(recording, path).size() == 2; }));
	CHECK(grows([&] { return in_text(recording, lower[0].number); }));
	recording.finish();
	for (const Described &one : texts_at(recording, path)) {
		CHECK(one.place == path);
		if (one.number != lower[0].number)
			CHECK(bytes_of(recording, one.number, 5, 0) == "upper");
	}
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "a program of another mount namespace can be read, though it was deleted",
		 "[record]")
{
	const Gate go, deleted;
	Child child([&] {
		const std::string path = "/tmp/profil-own/program";
		int ends[2];
		char byte;

		need(unshare(CLONE_NEWNS), "unshare");
		need(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "a private /");
		const Mounted own("profil-own");
		std::filesystem::copy_file(program("record_short"), path);
		go.wait();
		need(pipe2(ends, O_CLOEXEC), "pipe2");
		Child running([&] {
			execl(path.c_str(), "program", "1000000", "fork", nullptr);
			need(-1, path.c_str());
		});
		/* The child's execve closes the last copy of the pipe's write end. */
		close(ends[1]);
		need_that(read(ends[0], &byte, 1) == 0, "the program runs");
		need(unlink(path.c_str()), "unlink");
		deleted.open();
		running.reap();
	});
	Recording recording;
	const auto of_program = [&](const Row &row) {
		return row.owner.who() == "program" && row.text.number == row.owner.text;
	};

	recording.begin(child.pid());
	go.open();
	deleted.wait();
	CHECK(grows([&] { return recording.sum(of_program); }));
	recording.finish();
	const std::string content = read_file(program("record_short"));
	for (const Row &row : recording.rows()) {
		if (!of_program(row))
			continue;
		CHECK(row.text.place.ends_with("/program (deleted)"));
		CHECK(row.text.bytes == content.size());
		CHECK(bytes_of(recording, row.text.number, content.size(), 0) == content);
	}
	CHECK(std::filesystem::exists("/tmp/profil-own/program") == false);
	check_whole(recording);
}
