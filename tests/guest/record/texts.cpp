// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/texts.cpp  The text in which a recording counts a tick. */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"

#include <array>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** Check that each counted tick is in an element, and that none was lost for lack of room. */
void check_whole(const Recording &recording)
{
	const profil_status status = recording.status();

	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(status.lost_full == 0);
	CHECK(status.outside == 0);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a tick in a file counts at its offset there, for its program", "[record]")
{
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.in_file(file.path(), LoopFile::offset); }));
	recording.finish();
	CHECK(recording.status().state == PROFIL_STATE_STOPPED);
	const std::string self = std::filesystem::read_symlink("/proc/self/exe");
	check_whole(recording);
	for (const Row &row : recording.rows()) {
		CHECK(row.owner.who() == "guest");
		CHECK(recording.described(row.owner.text).place == self);
		if (row.text.place != file.path())
			continue;
		struct stat about;

		REQUIRE(stat(file.path().c_str(), &about) == 0);
		CHECK(row.text.inode == about.st_ino);
		CHECK(row.text.bytes == 2 * LoopFile::offset);
		CHECK(row.text.modified == static_cast<uint64_t>(about.st_mtim.tv_sec) * 1'000'000'000 +
						   static_cast<uint64_t>(about.st_mtim.tv_nsec));
		CHECK((row.offset == LoopFile::offset || row.offset == LoopFile::offset + CODE_LOOP_RETURN));
	}
}

TEST_CASE_METHOD(AtRest, "ticks in kernel mode count for the kernel, and are all there", "[record]")
{
	Steps child([](auto spin) {
		const Burner burner;
		burner.plant_syscalls(text, SYS_getppid);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_KERNEL); }));
	recording.finish();
	CHECK(recording.of_kind(PROFIL_KIND_KERNEL) == recording.status().kernel);
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "code that a process has made is memory of that process alone", "[record]")
{
	const auto burning = [](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	};
	Steps one(burning), other(burning);
	Recording recording;
	const auto ticks_of = [&](pid_t pid) {
		return recording.sum([&](const Row &row) {
			return row.text.kind == PROFIL_KIND_MEMORY && row.text.pid == pid &&
			       row.text.base + row.offset == text;
		});
	};

	recording.begin(one.pid());
	REQUIRE(recording.add(other.pid()) == 0);
	CHECK(grows([&] { return ticks_of(one.pid()); }));
	CHECK(grows([&] { return ticks_of(other.pid()); }));
	CHECK(recording.add(other.pid()) == EEXIST);
	recording.finish();
	check_whole(recording);
}

namespace {

/** The ways in which a program replaces one text by another at an address. */
enum class Swap { map_over, unmap, move_over, other_thread };

/** Files that are mapped in turn at one address, with loops at different places of the page. */
class Plugins {
public:
	static constexpr std::array<double, 3> share = {0.69, 0.21, 0.10};

	/**
	 * Run each file's loop for its share of about @p iterations, in each of @p turns.  The perf
	 * clock is regular: in turns of the same length it would meet the same places.
	 */
	void run(Swap swap, unsigned turns, unsigned iterations) const
	{
		std::minstd_rand random;
		std::uniform_real_distribution length(0.5, 1.5);

		for (unsigned turn = 0; turn < turns; turn++) {
			const double of_turn = iterations * length(random);

			for (size_t i = 0; i < file_.size(); i++) {
				put(file_[i], swap);
				Burner::spin(text + file_[i].place(),
					     static_cast<unsigned>(of_turn * share[i]));
			}
		}
	}

	std::array<uint64_t, 3> ticks(const Recording &recording) const
	{
		std::array<uint64_t, 3> ticks = {};

		for (size_t i = 0; i < file_.size(); i++)
			ticks[i] = recording.in_file(file_[i].path());
		return ticks;
	}
	/** The ticks at offsets of a file that hold none of its code. */
	uint64_t misplaced(const Recording &recording) const
	{
		return recording.sum([&](const Row &row) {
			for (const LoopFile &file : file_)
				if (row.text.place == file.path())
					return !file.has_code_at(row.offset);
			return false;
		});
	}

private:
	static void put(const LoopFile &file, Swap swap)
	{
		const uintptr_t beside = text + 0x4000000;

		if (swap == Swap::other_thread) {
			std::thread([&] { file.map(text); }).join();
			return;
		}
		if (swap == Swap::unmap)
			munmap(reinterpret_cast<void *>(text), LoopFile::offset);
		if (swap != Swap::move_over) {
			file.map(text);
			return;
		}
		file.map(beside);
		need_that(mremap(reinterpret_cast<void *>(beside), LoopFile::offset, LoopFile::offset,
				 MREMAP_MAYMOVE | MREMAP_FIXED, text) != MAP_FAILED,
			  "the text moves");
	}

	const std::array<LoopFile, 3> file_ = {LoopFile("profil-first", 0), LoopFile("profil-second", 0x400),
					       LoopFile("profil-third", 0x800)};
};

} // namespace

TEST_CASE_METHOD(AtRest, "a tick counts in the file that was mapped when it came", "[record][slow]")
{
	const bool everybody = GENERATE(false, true);
	const Swap swap = GENERATE(Swap::map_over, Swap::unmap, Swap::move_over, Swap::other_thread);
	const Plugins plugins;
	const Gate go;
	Child child([&] {
		go.wait();
		plugins.run(swap, 200, 400'000);
	});
	Recording recording;

	CAPTURE(everybody, swap);
	if (everybody)
		REQUIRE(recording.begin_everybody() == 0);
	else
		recording.begin(child.pid());
	go.open();
	child.join();
	recording.finish();
	for (const uint64_t ticks : plugins.ticks(recording))
		CHECK(ticks > 0);
	CHECK(plugins.misplaced(recording) == 0);
}

TEST_CASE_METHOD(AtRest, "files that are mapped in turn have the ticks of the time that each took",
		 "[record][icount]")
{
	const bool everybody = GENERATE(false, true);
	const uint64_t rate = GENERATE(997, 9'973);
	const Plugins plugins;
	const Gate go;
	Child child([&] {
		go.wait();
		plugins.run(Swap::map_over, 400, 1'000'000);
	});
	Recording recording(4096, 1'000'000'000 / rate);

	CAPTURE(everybody, rate);
	if (everybody)
		REQUIRE(recording.begin_everybody() == 0);
	else
		recording.begin(child.pid());
	go.open();
	child.join();
	recording.finish();
	const auto ticks = plugins.ticks(recording);
	const double sum = static_cast<double>(ticks[0] + ticks[1] + ticks[2]);
	CHECK(sum > 300);
	for (size_t i = 0; i < ticks.size(); i++) {
		const double share = Plugins::share[i];

		CAPTURE(ticks);
		CHECK(std::abs(static_cast<double>(ticks[i]) - sum * share) <
		      5 * std::sqrt(sum * share * (1 - share)));
	}
}

TEST_CASE_METHOD(AtRest, "code that a program makes in place of other code counts where it is", "[record]")
{
	constexpr uintptr_t apart = 0x400;
	const Gate go;
	const Child child([&] {
		const Burner burner;

		go.wait();
		for (unsigned turn = 0;; turn++) {
			const uintptr_t at = text + turn % 2 * apart;

			burner.plant_loop(at);
			Burner::spin(at, 50'000);
		}
	});
	Recording recording;
	const auto ticks = [&] {
		std::array<uint64_t, 2> of = {};

		for (const Row &row : recording.rows()) {
			if (row.text.kind != PROFIL_KIND_MEMORY)
				continue;
			const uintptr_t from = row.text.base + row.offset - text;

			CHECK(from % apart < sizeof(code_loop));
			of.at(from / apart) += row.count;
		}
		return of;
	};

	recording.begin(child.pid());
	go.open();
	CHECK(soon([&] { return ticks()[0] > 20 && ticks()[1] > 20; }));
	recording.finish();
}

TEST_CASE_METHOD(AtRest, "text that was moved counts where it is now", "[record]")
{
	const LoopFile file("profil-moved");
	const uintptr_t elsewhere = text + 0x4000000;
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
		need_that(mremap(reinterpret_cast<void *>(text), 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED,
				 elsewhere) != MAP_FAILED,
			  "the text moves");
		spin(elsewhere);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.in_file(file.path()); }));
	child.next();
	CHECK(grows([&] { return recording.in_file(file.path()); }));
	recording.finish();
	CHECK(recording.of_kind(PROFIL_KIND_UNKNOWN) == 0);
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "a text's file can be opened, though it was deleted or never had a name", "[record]")
{
	const bool memory = GENERATE(false, true);
	const LoopFile file("profil-deleted");
	const Fd unnamed(need(memfd_create("profil-code", MFD_CLOEXEC), "memfd_create"));
	const int fd = memory ? unnamed.get() : file.fd();
	const std::string place = memory ? "/memfd:profil-code (deleted)" : file.path() + " (deleted)";
	LoopFile::fill(fd);
	unlink(file.path().c_str());
	Steps child([&](auto spin) {
		LoopFile::map(fd, text);
		spin(text);
	});
	Recording recording;
	char code[sizeof(code_loop)];

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.in_file(place, LoopFile::offset); }));
	recording.finish();
	for (const Row &row : recording.rows()) {
		if (row.text.place != place)
			continue;
		const Fd opened(recording.described(row.text.number, PROFIL_DESCRIBE_OPEN).fd);

		REQUIRE(pread(opened.get(), code, sizeof(code), LoopFile::offset) == sizeof(code));
		CHECK(memcmp(code, code_loop, sizeof(code)) == 0);
	}
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "the vDSO is a text of its own", "[record]")
{
	if (!(read_file("/proc/self/maps").find("[vdso]") != std::string::npos))
		return;
	Steps child([](auto) {
		timespec now;
		for (;;)
			clock_gettime(CLOCK_MONOTONIC, &now);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] {
		return recording.sum([](const Row &row) {
			return row.text.kind == PROFIL_KIND_VDSO && row.offset < row.text.bytes;
		});
	}));
	recording.finish();
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "ticks of a process's children count for the programs that they execute", "[record]")
{
	const Gate go;
	Child child([&] {
		go.wait();
		Child grandchild([] {
			const auto path = program("uapi_target");
			const auto where = std::to_string(text);

			execl(path.c_str(), path.c_str(), "burn", where.c_str(), nullptr);
			need(-1, path.c_str());
		});
		grandchild.reap();
	});
	Recording recording;

	recording.begin(child.pid());
	go.open();
	CHECK(grows([&] {
		return recording.sum([](const Row &row) {
			return row.owner.who() == "uapi_target" && row.text.kind == PROFIL_KIND_MEMORY;
		});
	}));
	recording.finish();
	for (const Row &row : recording.rows())
		if (row.owner.who() == "uapi_target")
			CHECK(recording.described(row.owner.text).place == program("uapi_target"));
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "a child that is not to be followed is not counted", "[record]")
{
	const LoopFile file("profil-child");
	const Gate forked;
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
		Child grandchild([&] { spin(text); });
		forked.open();
		grandchild.reap();
	});
	Recording recording;

	recording.begin(child.pid(), 0);
	CHECK(grows([&] { return recording.in_file(file.path()); }));
	child.next();
	forked.wait();
	const uint64_t last = recording.in_file(file.path());
	usleep(100'000);
	CHECK(recording.in_file(file.path()) == last);
	recording.finish();
	CHECK(recording.status().processes == 0);
	check_whole(recording);
}

TEST_CASE_METHOD(AtRest, "a full table loses ticks, and says how many", "[record]")
{
	constexpr size_t loops = 1000, apart = 16;
	Child child([] {
		const Burner burner;
		for (size_t i = 0; i < loops; i++)
			burner.plant_loop(text + i * apart);
		for (;;)
			for (size_t i = 0; i < loops; i++)
				Burner::spin(text + i * apart, 10'000);
	});
	Recording recording(256);

	recording.begin(child.pid());
	CHECK(soon([&] { return recording.status().lost_full > 0; }));
	recording.finish();
	const profil_status status = recording.status();
	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(recording.rows().size() <= 256);
	CHECK(status.ticks == causes(status));
}

TEST_CASE_METHOD(AtRest, "a table that its owner unmaps ends the recording", "[record][lifetime]")
{
	Steps child([](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.sum(); }));
	munmap(recording.table().at(), recording.table().bytes());
	recording.table().forget();
	CHECK(recording.status().state == PROFIL_STATE_FAULT);
	const Memory other(4096);
	profil_table change = recording.request_table(other);
	CHECK(recording.device().call(PROFIL_TABLE, &change) == ENOENT);
}
