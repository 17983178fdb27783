// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/checkpoint.cpp  The profile that is left of a
 * recording that is killed, or whose file cannot be written. */
#include "cli/commands/record/checkpoint.h"
#include "cli/base/files.h"
#include "cli/commands/record/rescue.h"
#include "cli/commands/record/summary.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace cli;
namespace fs = std::filesystem;

namespace {

std::string content_of(const std::string &path)
{
	const Result<std::string> content = read_file(path);

	return content ? *content : "(" + content.error().text + ")";
}

OutputFile output_at(const std::string &path)
{
	Result<OutputFile> output = OutputFile::prepare(path);

	REQUIRE(output);
	return *std::move(output);
}

/** A file in a temporary directory, and its checkpoints. */
struct Saved {
	support::TemporaryDirectory directory;
	std::string path = directory / "p.pb.gz";
	std::string part = path + ".part";
	OutputFile output = output_at(path);
	Checkpoints checkpoints{60};

	Outcome write(const std::string &content)
	{
		return checkpoints.write([this]() -> Result<const OutputFile *> { return &output; },
					 [content] { return content; });
	}
};

/** Limits the size of files during its lifetime, to simulate a full disk. */
class NoRoom {
public:
	NoRoom()
	{
		const rlimit limit = {2, RLIM_INFINITY};

		before_action_ = signal(SIGXFSZ, SIG_IGN);
		getrlimit(RLIMIT_FSIZE, &before_);
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	NoRoom(const NoRoom &) = delete;
	NoRoom &operator=(const NoRoom &) = delete;
	~NoRoom()
	{
		setrlimit(RLIMIT_FSIZE, &before_);
		signal(SIGXFSZ, before_action_);
	}

private:
	rlimit before_ = {};
	void (*before_action_)(int) = SIG_DFL;
};

} // namespace

TEST_CASE("the last checkpoint is in FILE.part until the file has been written", "[cli][record]")
{
	Saved saved;

	CHECK(saved.checkpoints.path().empty());
	REQUIRE(saved.write("first"));
	CHECK(content_of(saved.part) == "first");
	REQUIRE(saved.write("second"));
	CHECK(content_of(saved.part) == "second");
	CHECK(saved.checkpoints.path() == saved.part);
	CHECK_FALSE(fs::exists(saved.part + ".old"));
	CHECK(saved.checkpoints.remove());
	CHECK(fs::is_empty(saved.directory / ""));
	CHECK(saved.checkpoints.path().empty());
}

TEST_CASE("a checkpoint that a killed recording has left is kept, and is not removed without a newer one",
	  "[cli][record]")
{
	Saved saved;

	std::ofstream(saved.part) << "of the one before";
	CHECK(saved.checkpoints.remove());
	CHECK(content_of(saved.part) == "of the one before");
	REQUIRE(saved.write("new"));
	CHECK(content_of(saved.part) == "new");
	CHECK(content_of(saved.part + ".old") == "of the one before");
	REQUIRE(saved.write("newer"));
	CHECK(content_of(saved.part + ".old") == "of the one before");
}

TEST_CASE("a checkpoint without room leaves the one before it, and is an error once", "[cli][record]")
{
	Saved saved;

	REQUIRE(saved.write("first"));
	{
		const NoRoom none;

		CHECK(saved.write("second").error().text == saved.part + ": File too large");
		CHECK(saved.write("third"));
	}
	CHECK(content_of(saved.part) == "first");
	CHECK(saved.write("fourth"));
	CHECK(content_of(saved.part) == "fourth");

	const NoRoom none;

	CHECK_FALSE(saved.write("fifth"));
}

TEST_CASE("a device has no checkpoints", "[cli][record]")
{
	const OutputFile output = output_at("/dev/null");
	Checkpoints checkpoints(60);
	bool made = false;

	CHECK(checkpoints.write([&output]() -> Result<const OutputFile *> { return &output; },
				[&made] {
					made = true;
					return std::string();
				}));
	CHECK_FALSE(made);
	CHECK(checkpoints.path().empty());
	CHECK_FALSE(fs::exists("/dev/null.part"));
}

TEST_CASE("checkpoints that take long are made less often", "[cli][record]")
{
	Saved saved;
	const auto write_in = [&](std::chrono::milliseconds time) {
		return saved.checkpoints.write([&]() -> Result<const OutputFile *> { return &saved.output; },
					       [time] {
						       std::this_thread::sleep_for(time);
						       return std::string("x");
					       });
	};

	CHECK(saved.checkpoints.left() > 50);
	CHECK(saved.checkpoints.left() <= 60);
	REQUIRE(write_in(std::chrono::milliseconds(1200)));
	CHECK(saved.checkpoints.left() > 100);
	saved.checkpoints.begin();
	CHECK(saved.checkpoints.left() <= 60);
	/* After an error, the next attempt is not due at once. */
	CHECK(saved.checkpoints
		      .write([]() -> Result<const OutputFile *> { return Error{"gone"}; },
			     [] { return std::string(); })
		      .error()
		      .text == "gone");
	CHECK(saved.checkpoints.left() > 50);
}

TEST_CASE("a profile that its file does not take goes to the first directory that takes it", "[cli][record]")
{
	const support::TemporaryDirectory directory;
	const std::string good = directory / "good";
	struct stat about;

	REQUIRE(fs::create_directory(good));
	CHECK(output_at("/dev/full").write("profile").error().text == "/dev/full: No space left on device");
	const Result<std::string> kept = rescue("profile", {directory / "missing", good, directory / ""});

	REQUIRE(kept);
	CHECK(kept->starts_with(good + "/profil-"));
	CHECK(kept->ends_with(".pb.gz"));
	CHECK(content_of(*kept) == "profile");
	REQUIRE_FALSE(stat(kept->c_str(), &about));
	CHECK((about.st_mode & 07777) == 0600);
}

TEST_CASE("where no directory takes a profile, nothing is left of the attempts", "[cli][record]")
{
	const support::TemporaryDirectory directory;
	const NoRoom none;

	CHECK(rescue("profile", {directory / ""}).error().text.ends_with(": File too large"));
	CHECK(fs::is_empty(directory / ""));
	CHECK_FALSE(rescue("profile", {}));
}

TEST_CASE("the directory for temporary files is the first to take a profile, and each is tried once",
	  "[cli][record]")
{
	const char *const before = getenv("TMPDIR");
	const std::string saved = before ? before : "";

	setenv("TMPDIR", "/tmp", 1);
	const std::vector<std::string> directories = rescue_directories();

	setenv("TMPDIR", "relative", 1);
	CHECK(rescue_directories().front() == "/var/tmp");
	if (before)
		setenv("TMPDIR", saved.c_str(), 1);
	else
		unsetenv("TMPDIR");
	CHECK(directories.front() == "/tmp");
	CHECK(std::count(directories.begin(), directories.end(), "/tmp") == 1);
	CHECK(directories.back() == "/dev/shm");
}

TEST_CASE("a file of a series is worth a line only if something is missing", "[cli][record]")
{
	About about;

	CHECK_FALSE(is_as_expected(about));
	about.accounting.ticks = 1000;
	about.accounting.counted = 990;
	about.accounting.lost_late = 10;
	CHECK(is_as_expected(about));
	about.accounting.lost_contended = 1;
	CHECK_FALSE(is_as_expected(about));
	about.accounting.lost_contended = 0;
	about.events = {{"cycles", 1000, 0, 1, 10, 10}};
	CHECK_FALSE(is_as_expected(about));
}

TEST_CASE("a report of a file that a killed recording has not written names its checkpoint", "[cli][report]")
{
	const support::TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string profil = support::build_dir() + "/profil report ";
	const std::string content = encode_pprof(sample_profile());

	CHECK(support::run(profil + file).text ==
	      "profil report: " + file + ": No such file or directory ('profil record' writes such files)\n");
	std::ofstream(file + ".part") << content;
	CHECK(support::run(profil + file).text ==
	      "profil report: " + file + ": No such file or directory (" + file +
		      ".part has what was recorded before profil was killed)\n");
	CHECK(support::run(profil + file + ".part").status == 0);
}
