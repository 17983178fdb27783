// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/top_events.cpp  profil top with events (-e) of running programs. */
#include "tests/guest/cli/support.h"

#include <regex>
#include <sstream>

using namespace cli_test;

namespace {

/** The frames of profil top --batch, each from its title on. */
std::vector<std::string> frames_of(const std::string &text)
{
	std::vector<std::string> frames;

	for (size_t at = text.find("profil top: "); at != text.npos;) {
		const size_t next = text.find("profil top: ", at + 1);

		frames.push_back(text.substr(at, next - at));
		at = next;
	}
	return frames;
}

/** Converts text such as "10,000"; 0 if it is empty. */
uint64_t number(std::string text)
{
	std::erase(text, ',');
	return text.empty() ? 0 : std::stoull(text);
}

/** A function's events: all, and those since the last frame; both 0 if it has no row. */
std::pair<uint64_t, uint64_t> counts_of(const std::string &frame, const std::string &function)
{
	const std::regex row("^ *([0-9,]+) +[0-9.]+ +(\\+([0-9,]+))? +[0-9.]+ .* " + function + " ");
	std::istringstream lines(frame);
	std::smatch found;

	for (std::string line; std::getline(lines, line);) {
		if (std::regex_search(line, found, row))
			return {number(found[1]), number(found[3])};
	}
	return {0, 0};
}

/**
 * A running profil top --batch.  The constructor waits for its first frame: by then it has
 * attached.
 */
class RunningTop {
public:
	explicit RunningTop(const std::vector<std::string> &what)
	{
		std::vector<std::string> arguments = {profil_path(), "top",	"--batch", "-d",
						      "0.5",	     "--limit", "1000"};

		arguments.insert(arguments.end(), what.begin(), what.end());
		top_.emplace(start(arguments, directory_ / "frames"));
		REQUIRE(soon([&] { return !frames().empty(); }));
	}

	[[nodiscard]] std::vector<std::string> frames() const
	{
		return frames_of(read_file(directory_ / "frames"));
	}
	int end(int signal = 0)
	{
		if (signal)
			kill(top_->pid(), signal);
		return end_of(*top_);
	}

private:
	TemporaryDirectory directory_;
	std::optional<guest::Child> top_;
};

} // namespace

TEST_CASE("top shows page faults in the functions that have them, to the last one", "[cli][top][source]")
{
	HeldProgram held("cli_events");
	RunningTop top({"-e", "page-faults", "-p", std::to_string(held.pid())});

	held.go();
	CHECK(held.end() == 0);
	CHECK(top.end() == 0);
	const std::vector<std::string> frames = top.frames();
	uint64_t filled = 0;
	uint64_t read = 0;

	for (const std::string &frame : frames) {
		filled += counts_of(frame, "fill_pages").second;
		read += counts_of(frame, "read_pages").second;
	}
	INFO(frames.back());
	CHECK(counts_of(frames.back(), "fill_pages").first == 10'000);
	CHECK(counts_of(frames.back(), "read_pages").first == 5000);
	/* Each event is in the delta of one refresh only. */
	CHECK(filled == 10'000);
	CHECK(read == 5000);
	CHECK(std::regex_search(frames.back(), std::regex("^profil top: [0-9,]+ page-faults in ")));
	CHECK(std::regex_search(
		frames.back(),
		std::regex("\npage-faults +%  +delta  +now %  function  +object  +command\n")));
	CHECK(has(frames.back(), " 100.00 %  ticks of events\n"));
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("top -a has a column for each event, and sorts by any of them", "[cli][top][source]")
{
	HeldProgram held("cli_events");
	RunningTop top(
		{"-a", "-e", "context-switches,page-faults,minor-faults:10", "--order", "page-faults"});

	held.go();
	CHECK(held.end() == 0);
	REQUIRE(soon([&] { return counts_of(top.frames().back(), "fill_pages").first >= 10'000; }));
	CHECK(top.end(SIGINT) == 0);
	const std::string frame = top.frames().back();
	std::smatch title;
	std::smatch row;

	INFO(frame);
	CHECK(counts_of(frame, "fill_pages").first == 10'000);
	CHECK(counts_of(frame, "read_pages").first == 5000);
	REQUIRE(std::regex_search(
		frame, title,
		std::regex("^profil top: [0-9,]+ context-switches, [0-9,]+ page-faults, ([0-9,]+) "
			   "minor-faults \\(1 in 10\\) in ")));
	CHECK(has(frame, "\nby page-faults\n"));
	CHECK(std::regex_search(frame, std::regex("\npage-faults +%  +delta  +now %  context-switches %  "
						  "minor-faults %  function  +object  +command\n")));
	/* fill_pages has no switches, and each sample of a minor fault stands for ten faults. */
	REQUIRE(std::regex_search(frame, row, std::regex("\n +10,000 .* 0\\.00  +([0-9.]+)  fill_pages")));
	const double minor = std::stod(row[1]) / 100 * static_cast<double>(number(title[1]));

	CHECK(minor > 9'890);
	CHECK(minor < 10'020);
	CHECK(soon(nothing_is_profiled));
}
