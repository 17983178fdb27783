// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/forgotten.cpp  Numbers that a process still uses although the reader
 * has forgotten them and they have been given to something else.
 */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fcntl.h>
#include <filesystem>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

using namespace guest;

namespace {

/** Execute a program from a new file, which has no number yet. */
void execute_copy()
{
	const std::string path = program("cli_burn_static");
	const int from = need(open(path.c_str(), O_RDONLY | O_CLOEXEC), path.c_str());
	const int copy = need(memfd_create("profil-copy", MFD_CLOEXEC), "memfd_create");
	const auto bytes = static_cast<size_t>(std::filesystem::file_size(path));
	std::string name = "copy", turns = "1";
	char *arguments[] = {name.data(), turns.data(), nullptr}, *environment[] = {nullptr};

	need_that(sendfile(copy, from, nullptr, bytes) == static_cast<ssize_t>(bytes), "sendfile");
	fexecve(copy, arguments, environment);
	need(-1, "fexecve");
}

/** A recording of this process and its children, without ticks. */
class Numbers {
public:
	Numbers()
	{
		const Fd never = open_proof({.pid = getpid(), .config = PERF_COUNT_SW_ALIGNMENT_FAULTS});

		recording_.begin_with(never, PROFIL_FOLLOW | PROFIL_EVENT | PROFIL_RECORD_PROCESSES);
	}

	[[nodiscard]] uint32_t last() const { return recording_.described(0).numbers; }
	[[nodiscard]] uint32_t left() const { return recording_.described(0).highest - last(); }
	[[nodiscard]] std::optional<Described> about(uint32_t number) const
	{
		return recording_.known(number);
	}
	[[nodiscard]] int forget(uint32_t number) const { return recording_.forget(number); }
	/** The number of the process's latest owner, or 0. */
	[[nodiscard]] uint32_t of(pid_t pid) const
	{
		for (uint32_t number = last(); number; number--) {
			const auto one = about(number);

			if (one && one->kind == PROFIL_KIND_OWNER && one->pid == pid)
				return number;
		}
		return 0;
	}
	/** Run a child that is given @p numbers numbers, and forget these. */
	void use_up(uint32_t numbers, const std::function<void()> &run) const
	{
		const uint32_t before = last();

		Child(run).join();
		need_that(last() == before + numbers, "a child has as many numbers as expected");
		for (uint32_t number = before + 1; number <= last(); number++)
			/* Forgetting an owner's first number forgets its others, too. */
			if (about(number))
				need_that(forget(number) == 0, "PROFIL_DESCRIBE_FORGET");
	}

private:
	Recording recording_;
};

} // namespace

TEST_CASE_METHOD(AtRest,
		 "children of a process get no data from the new holder of the process's forgotten number",
		 "[record][window]")
{
	const Gate fork, execute, end;
	const Memory forked(4096, MAP_SHARED);
	const Numbers numbers;

	if (numbers.left() > 100'000)
		support::skip("the numbers of this module do not end before the test would");
	Child parent([&] {
		fork.wait();
		Child child([&] { end.wait(); });
		*forked.at<volatile pid_t>() = child.pid();
		child.join();
		execute_copy();
	});
	Child other([&] {
		execute.wait();
		execute_copy();
	});
	const pid_t pid = parent.pid();
	const uint32_t number = numbers.of(pid);

	REQUIRE(number);
	REQUIRE(numbers.forget(number) == 0);
	/* A child takes four numbers, and five more if it executes a new file. */
	while (numbers.left() % 4)
		numbers.use_up(9, execute_copy);
	while (numbers.left())
		numbers.use_up(4, [] {});
	execute.open();
	other.join();
	REQUIRE(numbers.about(number)->kind == PROFIL_KIND_FILE);

	fork.open();
	REQUIRE(soon([&] { return *forked.at<volatile pid_t>() != 0; }));
	for (uint32_t one = 1; one <= numbers.last(); one++) {
		const auto about = numbers.about(one);

		/* A greater value would be a kernel address instead of a size. */
		CHECK((!about || about->bytes < UINT32_MAX));
		CHECK((!about || about->pid != *forked.at<volatile pid_t>()));
	}
	end.open();
	parent.join();
	const uint32_t executed = numbers.of(pid);
	REQUIRE(executed);
	/* The file that now has the old number is not mistaken for the parent. */
	CHECK(numbers.about(executed)->parent == 0);
}
