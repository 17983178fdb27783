// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/describe.cpp  The answers of PROFIL_DESCRIBE, and the buffers and files
 * that a failed one leaves alone.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/support.h"
#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/mounted.h"
#include "tests/support/catch.h"

#include <array>
#include <string>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/**
 * Calls PROFIL_DESCRIBE for a number, with room for a path of the given size, and keeps the answer
 * and the whole buffer.
 */
class Answer {
public:
	Answer(const Recording &recording, uint32_t number, size_t room, uint32_t flags = 0)
	{
		buffer_.fill(guard);
		about_.size = sizeof(about_);
		about_.flags = flags;
		about_.profile = recording.profile();
		about_.number = number;
		about_.path = reinterpret_cast<uintptr_t>(buffer_.data());
		about_.path_size = static_cast<uint32_t>(room);
		error_ = recording.device().call(PROFIL_DESCRIBE, &about_);
		opened_ = Fd(error_ ? -1 : about_.fd);
	}

	int error() const { return error_; }
	const profil_describe &about() const { return about_; }
	bool has_opened() const { return opened_.get() >= 0; }
	std::string path() const { return buffer_.data(); }
	bool is_untouched_from(size_t at) const
	{
		for (; at < buffer_.size(); at++)
			if (buffer_[at] != guard)
				return false;
		return true;
	}

private:
	static constexpr char guard = '\x5a';
	std::array<char, 4096> buffer_;
	profil_describe about_ = {};
	Fd opened_;
	int error_;
};

void check_sizes(const Recording &recording, uint32_t number, const std::string &path)
{
	const Answer fits(recording, number, path.size() + 1), small(recording, number, path.size());

	CAPTURE(path);
	CHECK(fits.error() == 0);
	CHECK(fits.path() == path);
	CHECK(fits.about().path_size == path.size() + 1);
	CHECK(fits.is_untouched_from(path.size() + 1));
	CHECK(small.error() == ENAMETOOLONG);
	CHECK(small.is_untouched_from(0));
}

/** The number of the text at @p place, or 0 if the text has no ticks. */
uint32_t ticked(const Recording &recording, const std::string &place)
{
	for (const Row &row : recording.rows())
		if (row.text.place == place)
			return row.text.number;
	return 0;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a path is written as far as the caller's buffer goes, and no byte beyond",
		 "[record]")
{
	const LoopFile file("profil-described");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.in_file(file.path()); }));
	recording.finish();
	check_sizes(recording, ticked(recording, file.path()), file.path());
}

TEST_CASE_METHOD(AtRest, "the name of a module is written likewise", "[record]")
{
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_KERNEL) == 0);
	const BusyModule module;
	uint32_t modules = 0;

	for (uint32_t number = 1; number <= recording.described(0).numbers; number++) {
		const auto one = recording.known(number);

		/* The module's init code had a number, too, which is free again. */
		if (!one || one->kind != PROFIL_KIND_MODULE)
			continue;
		check_sizes(recording, number, BusyModule::name);
		modules++;
	}
	CHECK(modules > 0);
	recording.finish();
}

TEST_CASE_METHOD(AtRest, "a file with a lease is not opened, so nobody waits until it is given up",
		 "[record]")
{
	const std::string path = "/tmp/profil-leased";
	if (const LoopFile file("profil-leased"); fcntl(file.fd(), F_SETLEASE, F_WRLCK))
		support::skip("this kernel has no leases");
	Steps child([&](auto spin) {
		const LoopFile file("profil-leased");

		/* Ignore the request to give up the lease. */
		signal(SIGIO, SIG_IGN);
		file.map(Burner::usual);
		spin(Burner::usual);
		need(fcntl(file.fd(), F_SETLEASE, F_WRLCK), "F_SETLEASE");
		spin(Burner::usual);
	});
	Recording recording;

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.in_file(path); }));
	const uint32_t number = ticked(recording, path);
	CHECK(Answer(recording, number, 4096, PROFIL_DESCRIBE_OPEN).has_opened());
	child.next();
	REQUIRE(grows([&] { return recording.in_file(path); }));
	CHECK(Answer(recording, number, 4096, PROFIL_DESCRIBE_OPEN).error() == EACCES);
	recording.finish();
	unlink(path.c_str());
}

TEST_CASE_METHOD(AtRest, "a file in a file system that was mounted in a user namespace is not opened",
		 "[record][hostile]")
{
	Steps child([&](auto spin) {
		become(nobody, 0);
		const auto groups = "0 " + std::to_string(getegid()) + " 1";

		enter_user_namespace();
		write_file("/proc/self/gid_map", groups);
		need(unshare(CLONE_NEWNS), "CLONE_NEWNS");
		const Mounted own("profil-own");
		const LoopFile file("profil-own/mounted-by-a-user");
		file.map(text);
		spin(text);
	});
	Recording recording;
	const auto of_file = [](const Row &row) {
		return row.text.kind == PROFIL_KIND_FILE && row.text.place.ends_with("/mounted-by-a-user");
	};

	recording.begin(child.pid());
	REQUIRE(grows([&] { return recording.sum(of_file); }));
	for (const Row &row : recording.rows())
		if (of_file(row))
			CHECK(Answer(recording, row.text.number, 4096, PROFIL_DESCRIBE_OPEN).error() ==
			      EPERM);
	recording.finish();
}

TEST_CASE_METHOD(AtRest,
		 "a program's file system that never closes its file does not keep the reader waiting",
		 "[record][hostile]")
{
	if (!support::fuse_available())
		support::skip("this kernel has no FUSE");
	FuseFile file(4096, false);
	const Gate unmapped;
	Steps program([&](auto spin) {
		void *const at = reinterpret_cast<void *>(text);

		become(somebody, 0);
		{
			const Fd fd(need(open(file.path().c_str(), O_RDONLY | O_CLOEXEC), "the program"));

			need_that(mmap(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
				       fd.get(), 0) == at,
				  "the program is mapped");
		}
		memcpy(at, code_loop, sizeof(code_loop));
		__builtin___clear_cache(static_cast<char *>(at), static_cast<char *>(at) + sizeof(code_loop));
		const Fd written(need(open(file.path().c_str(), O_WRONLY | O_CLOEXEC), "the file"));

		spin(text);
		/* After this, only the recording holds the file that was mapped. */
		need(munmap(at, 4096), "munmap");
		need_that(pwrite(written.get(), "", 1, 0) == 1, "the file is written");
		unmapped.open();
		pause();
	});
	Recording recording;

	recording.begin(program.pid());
	REQUIRE(grows([&] { return recording.in_file(file.path()); }));
	const uint32_t number = ticked(recording, file.path());
	program.next();
	unmapped.wait();
	const Child reader([&] { _exit(Answer(recording, number, 4096, PROFIL_DESCRIBE_RELEASE).error()); });
	CHECK(hostile::ends(reader));
	/* The killed program would wait, too, when it closes the file. */
	file.abort();
	recording.finish();
}

TEST_CASE_METHOD(AtRest, "a file stays a recording's if it could not be told which it is", "[record]")
{
	const LoopFile file("profil-released");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.in_file(file.path()); }));
	recording.finish();
	const uint32_t number = ticked(recording, file.path());

	CHECK(Answer(recording, number, 3, PROFIL_DESCRIBE_RELEASE).error() == ENAMETOOLONG);
	CHECK(Answer(recording, number, 3, PROFIL_DESCRIBE_FORGET).error() == ENAMETOOLONG);
	CHECK(Answer(recording, number, 4096, PROFIL_DESCRIBE_OPEN).has_opened());
	CHECK(Answer(recording, number, 4096, PROFIL_DESCRIBE_RELEASE).error() == 0);
	CHECK(Answer(recording, number, 4096, PROFIL_DESCRIBE_OPEN).error() == ENODATA);
}

TEST_CASE_METHOD(AtRest,
		 "code in a mapping of a device counts as memory's, and its recording holds no device",
		 "[record]")
{
	Steps child([&](auto spin) {
		const Fd zero(need(open("/dev/zero", O_RDWR), "/dev/zero"));
		void *at = mmap(reinterpret_cast<void *>(text), 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_FIXED, zero.get(), 0);

		need_that(at != MAP_FAILED, "the device is mapped");
		__builtin_memcpy(at, code_loop, sizeof(code_loop));
		code_written(at, 4096);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return recording.of_kind(PROFIL_KIND_MEMORY); }));
	recording.finish();
	CHECK(recording.in_file("/dev/zero") == 0);
}
