// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/base/output_file.cpp  A file is written as a whole or not at all. */
#include "cli/base/output_file.h"
#include "cli/base/files.h"
#include "cli/base/stop_signals.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace cli;
namespace fs = std::filesystem;

namespace {

size_t entries(const std::string &directory)
{
	return static_cast<size_t>(
		std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

std::string content_of(const std::string &path)
{
	const Result<std::string> content = read_file(path);

	return content ? *content : "(" + content.error().text + ")";
}

std::string refusal(const std::string &path)
{
	const Result<OutputFile> file = OutputFile::prepare(path);

	return file ? "" : file.error().text;
}

/** Limits the size of files during its lifetime. */
class FileSizeLimit {
public:
	explicit FileSizeLimit(rlim_t bytes)
	{
		const rlimit limit = {bytes, RLIM_INFINITY};

		signal(SIGXFSZ, SIG_IGN);
		getrlimit(RLIMIT_FSIZE, &before_);
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
	rlimit before_;
};

} // namespace

TEST_CASE("preparing leaves no trace, writing makes exactly the file", "[cli]")
{
	const support::TemporaryDirectory directory;
	const Result<OutputFile> file = OutputFile::prepare(directory / "new");

	REQUIRE(file);
	CHECK(entries(directory / "") == 0);
	CHECK(file->write("content"));
	CHECK(content_of(directory / "new") == "content");
	CHECK(entries(directory / "") == 1);
}

TEST_CASE("a new file has the mode that the umask leaves, an old one keeps its own", "[cli]")
{
	const support::TemporaryDirectory directory;
	const mode_t before = umask(027);
	struct stat about;

	CHECK(OutputFile::prepare(directory / "new")->write("x"));
	CHECK_FALSE(stat((directory / "new").c_str(), &about));
	CHECK((about.st_mode & 07777) == 0640);
	chmod((directory / "new").c_str(), 0604);
	CHECK(OutputFile::prepare(directory / "new")->write("y"));
	CHECK_FALSE(stat((directory / "new").c_str(), &about));
	CHECK((about.st_mode & 07777) == 0604);
	umask(before);
}

TEST_CASE("a file that cannot be created is refused beforehand", "[cli]")
{
	const support::TemporaryDirectory directory;

	CHECK(refusal(directory / "no/such/file") ==
	      (directory / "no/such/file") + ": No such file or directory");
	CHECK(refusal(directory / "") == (directory / "") + ": Is a directory");
	CHECK(refusal("") == ": No such file or directory");
	CHECK(refusal("/proc/profil.pb.gz").find("/proc/profil.pb.gz: ") == 0);
	CHECK(entries(directory / "") == 0);
}

TEST_CASE("when the disk is full the old file stays, and nothing beside it", "[cli]")
{
	const support::TemporaryDirectory directory;

	std::ofstream(directory / "file") << "old";
	const Result<OutputFile> file = OutputFile::prepare(directory / "file");

	REQUIRE(file);
	{
		const FileSizeLimit limit(4096);
		const Outcome written = file->write(std::string(8192, 'x'));

		REQUIRE_FALSE(written);
		CHECK(written.error().text == (directory / "file") + ": File too large");
	}
	CHECK(content_of(directory / "file") == "old");
	CHECK(entries(directory / "") == 1);
}

TEST_CASE("devices are written to, and never replaced", "[cli]")
{
	const Result<OutputFile> null = OutputFile::prepare("/dev/null");
	const Result<OutputFile> full = OutputFile::prepare("/dev/full");

	REQUIRE(null);
	CHECK(null->write("x"));
	CHECK(fs::is_character_file("/dev/null"));
	REQUIRE(full);
	REQUIRE_FALSE(full->write("x"));
	CHECK(full->write("x").error().text == "/dev/full: No space left on device");
	CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("a FIFO without a reader is refused, not waited for", "[cli]")
{
	const support::TemporaryDirectory directory;

	REQUIRE_FALSE(mkfifo((directory / "fifo").c_str(), 0600));
	CHECK(refusal(directory / "fifo") == (directory / "fifo") + ": No such device or address");
}

TEST_CASE("a FIFO whose reader is gone is an error, and does not end the process", "[cli]")
{
	const support::TemporaryDirectory directory;
	const StopSignals signals;

	REQUIRE_FALSE(mkfifo((directory / "fifo").c_str(), 0600));
	Fd reader(open((directory / "fifo").c_str(), O_RDONLY | O_NONBLOCK));
	const Result<OutputFile> file = OutputFile::prepare(directory / "fifo");

	REQUIRE(file);
	reader.close();
	const Outcome written = file->write("x");

	REQUIRE_FALSE(written);
	CHECK(written.error().text == (directory / "fifo") + ": Broken pipe");
}

TEST_CASE("a dash is standard output, unless that is a terminal or closed", "[cli]")
{
	const support::TemporaryDirectory directory;
	const Fd before(dup(STDOUT_FILENO));
	const Fd file(open((directory / "file").c_str(), O_WRONLY | O_CREAT, 0600));
	const Fd terminal(posix_openpt(O_RDWR | O_NOCTTY));
	const auto prepare_with = [](int fd) {
		dup2(fd, STDOUT_FILENO);
		return OutputFile::prepare("-");
	};
	const Result<OutputFile> good = prepare_with(file.get());
	const Result<OutputFile> bad = prepare_with(terminal.get());

	close(STDOUT_FILENO);
	const Result<OutputFile> closed = OutputFile::prepare("-");

	dup2(before.get(), STDOUT_FILENO);
	REQUIRE(good);
	CHECK(good->write("x"));
	CHECK(content_of(directory / "file") == "x");
	CHECK(entries(directory / "") == 1);
	REQUIRE_FALSE(bad);
	CHECK(bad.error().text == "standard output is a terminal, and a profile is not text");
	REQUIRE_FALSE(closed);
	CHECK(closed.error().text == "standard output: Bad file descriptor");
}

TEST_CASE("a symbolic link is followed and stays one", "[cli]")
{
	const support::TemporaryDirectory directory;

	std::ofstream(directory / "real") << "old";
	fs::create_symlink("real", directory / "link");
	CHECK(OutputFile::prepare(directory / "link")->write("new"));
	CHECK(fs::is_symlink(directory / "link"));
	CHECK(content_of(directory / "real") == "new");
}

TEST_CASE("a relative name is resolved in the directory at the start", "[cli]")
{
	const support::TemporaryDirectory directory;
	const fs::path before = fs::current_path();

	fs::current_path(directory / "");
	const Result<OutputFile> file = OutputFile::prepare("name");

	fs::current_path(before);
	REQUIRE(file);
	CHECK(file->write("x"));
	CHECK(content_of(directory / "name") == "x");
}

TEST_CASE("the last file is kept beside the new one, on demand", "[cli]")
{
	const support::TemporaryDirectory directory;
	const std::string path = directory / "profile";
	const auto write = [&](const std::string &content) {
		const Result<OutputFile> file = OutputFile::prepare(path);

		REQUIRE(file);
		REQUIRE(file->write(content, OutputFile::Before::Kept));
	};

	write("first");
	CHECK(entries(directory / "") == 1);
	write("second");
	CHECK(content_of(path) == "second");
	CHECK(content_of(path + ".old") == "first");
	write("third");
	CHECK(content_of(path + ".old") == "second");
	CHECK(entries(directory / "") == 2);

	/* If the old file cannot be kept, it is not replaced. */
	REQUIRE(unlink((path + ".old").c_str()) == 0);
	REQUIRE(mkdir((path + ".old").c_str(), 0700) == 0);
	const Result<OutputFile> file = OutputFile::prepare(path);

	REQUIRE(file);
	CHECK(file->write("fourth", OutputFile::Before::Kept).error().text == path + ".old: Is a directory");
	CHECK(content_of(path) == "third");
	CHECK(entries(directory / "") == 2);
}
