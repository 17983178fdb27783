// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/slices.cpp  Samples by time slice, and series of files. */
#include "cli/commands/record/kept_files.h"
#include "cli/commands/record/sliced_recorder.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <filesystem>
#include <fstream>

using namespace cli;
using namespace std::chrono_literals;

namespace {

/** A recorder to which the test adds samples.  As in a real one, take_part() empties it. */
class Source : public Recorder {
public:
	explicit Source(Recording &now) : now_(now) {}

	size_t attach(std::span<const pid_t> pids, bool) override { return pids.size(); }
	[[nodiscard]] std::vector<pollfd> descriptors() const override { return {}; }
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const override { return now + 1h; }
	void work(Clock::time_point) override {}
	[[nodiscard]] bool idle() const override { return false; }
	[[nodiscard]] bool is_profiled(pid_t) const override { return true; }
	[[nodiscard]] uint64_t processes() const override { return 1; }
	[[nodiscard]] Accounting accounting() const override { return now_.accounting; }
	Recording snapshot() override { return now_; }
	Recording take_part() override { return std::exchange(now_, {}); }
	void give_back(const Recording &) override {}
	Recording finish() override { return take_part(); }

private:
	Recording &now_;
};

struct Sliced {
	Recording now;
	std::shared_ptr<Object> object = std::make_shared<Object>();
	Clock::time_point start = Clock::now();
	SlicedRecorder recorder{std::make_unique<Source>(now), 1s};

	void count(const std::string &program, uint64_t samples)
	{
		now.tally.add(object, {0x10, now.owners.number(0, program)}, samples);
		now.accounting.ticks += samples;
		now.accounting.counted += samples;
	}
	/** Go to the middle of a slice. */
	void go_to(int slice) { recorder.work(start + slice * 1s + 500ms); }
};

/** Samples by "program slice". */
std::map<std::string, uint64_t> by_slice(const Recording &recording)
{
	std::map<std::string, uint64_t> all;

	for (const auto &[object, buckets] : recording.tally.objects()) {
		for (const auto &[bucket, samples] : buckets) {
			const Owner *const owner = recording.owners.find(bucket.owner);

			REQUIRE(owner);
			all[owner->name + ' ' + std::to_string(owner->slice)] += samples;
		}
	}
	return all;
}

using Rows = std::map<std::string, uint64_t>;

} // namespace

TEST_CASE("samples have the slice in which they came", "[cli][record]")
{
	Sliced sliced;

	sliced.count("sh", 5);
	sliced.go_to(0);
	sliced.count("sh", 2);
	sliced.go_to(1);
	sliced.count("cc1", 7);
	/*
	 * The recorder is next read two slices later: these samples go to the slice in which it
	 * was last read.
	 */
	sliced.go_to(3);
	sliced.count("sh", 1);

	const Recording snapshot = sliced.recorder.snapshot();
	const Rows rows = {{"sh 0", 7}, {"cc1 1000", 7}, {"sh 3000", 1}};
	CHECK(by_slice(snapshot) == rows);
	CHECK(snapshot.slice_ms == 1000);
	CHECK(snapshot.accounting.counted == 15);
	CHECK(sliced.recorder.accounting().ticks == 15);

	const Recording all = sliced.recorder.finish();
	CHECK(by_slice(all) == rows);
	CHECK(all.tally.total() == 15);
	CHECK(all.accounting.ticks == 15);
}

TEST_CASE("work for slices is due at their ends", "[cli][record]")
{
	const Sliced sliced;
	const auto due = sliced.recorder.next_work(sliced.start);

	CHECK(due >= sliced.start + 1s);
	CHECK(due < sliced.start + 2s);
}

TEST_CASE("slices begin again in the next part, unless the last part is given back", "[cli][record]")
{
	Sliced sliced;

	sliced.count("sh", 5);
	const Recording part = sliced.recorder.take_part();
	CHECK(by_slice(part) == Rows{{"sh 0", 5}});
	sliced.count("sh", 3);
	CHECK(by_slice(sliced.recorder.snapshot()) == Rows{{"sh 0", 3}});
	CHECK(sliced.recorder.accounting().counted == 3);

	sliced.recorder.give_back(part);
	CHECK(by_slice(sliced.recorder.snapshot()) == Rows{{"sh 0", 8}});
	CHECK(sliced.recorder.accounting().counted == 8);
	sliced.go_to(1);
	sliced.count("sh", 1);
	CHECK(by_slice(sliced.recorder.finish()) == Rows{{"sh 0", 8}, {"sh 1000", 1}});
}

TEST_CASE("the last files of a series are kept", "[cli][record]")
{
	const support::TemporaryDirectory directory;
	const auto write = [&](const std::string &name) {
		std::ofstream(directory / name) << "x";
		return directory / name;
	};
	const auto there = [&](const std::string &name) { return std::filesystem::exists(directory / name); };
	KeptFiles kept(2);

	CHECK(kept.add(write("1")));
	CHECK(kept.add(write("2")));
	CHECK(kept.add(write("2")));
	CHECK(there("1"));
	CHECK(kept.add(write("3")));
	CHECK_FALSE(there("1"));
	CHECK(there("2"));
	/* A file that is already gone is not an error, but one that cannot be removed is. */
	std::filesystem::remove(directory / "2");
	CHECK(kept.add(write("4")));
	std::filesystem::remove(directory / "3");
	std::filesystem::create_directories(directory / "3/x");
	const Outcome failed = kept.add(write("5"));
	REQUIRE_FALSE(failed);
	CHECK(failed.error().text == (directory / "3") + ": cannot be removed: Directory not empty (--keep)");

	KeptFiles all(0);
	for (const char *name : {"a", "b", "c"})
		CHECK(all.add(write(name)));
	CHECK(there("a"));
}
