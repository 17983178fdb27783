// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/support.h  Recordings through the raw interface, and their counts. */
#pragma once

#include "tests/guest/support/clock.h"
#include "tests/guest/support/device.h"
#include "tests/support/skip.h"

#include <cstdint>
#include <cstring>
#include <linux/profil_record.h>
#include <memory>
#include <optional>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace guest {

/** The number of the owner of ticks whose owner is unknown. */
constexpr uint64_t nobody_owner = 4;

/** The answer of PROFIL_DESCRIBE about a number, with its path. */
struct Described : profil_describe {
	std::string place;

	/** The command name of an owner. */
	std::string who() const { return {name, strnlen(name, sizeof(name))}; }
};

/** The counts that causes() adds up, as text for the output of a failed test. */
inline std::string causes_text(const profil_status &status)
{
	std::ostringstream text;

	text << status.ticks << " ticks: counted " << status.counted << ", outside " << status.outside
	     << ", saturated " << status.saturated << ", kernel " << status.kernel << ", no_user_pc "
	     << status.no_user_pc << ", off " << status.off << ", lost_late " << status.lost_late
	     << ", lost_contended " << status.lost_contended << ", lost_full " << status.lost_full;
	return text.str();
}

/** A table element in use. */
struct Row {
	uint32_t cell;
	Described owner, text;
	uint64_t offset;
	uint64_t count;
};

/** A recording: its table, and the open device. */
class Recording {
public:
	explicit Recording(uint32_t counts = 4096, uint64_t period = period_10khz)
		: Recording(std::make_shared<const Device>(), counts, period)
	{
	}

	/** Another recording through the same open device, with a table of its own. */
	Recording beside(uint32_t counts = 4096, uint64_t period = period_10khz) const
	{
		return {device_, counts, period};
	}

	const Device &device() const { return *device_; }
	uint32_t profile() const { return profile_; }
	Memory &table() { return *table_; }

	/** The argument of PROFIL_RECORD, without a proof. */
	profil_record request(uint32_t flags = PROFIL_FOLLOW) const
	{
		return describe_recording(*table_, flags, period_);
	}

	/** Begin to record a process; throws when that fails. */
	void begin(pid_t pid, uint32_t flags = PROFIL_FOLLOW) { begin_with(proof_of(pid), flags); }
	void begin_with(const Fd &proof, uint32_t flags = PROFIL_FOLLOW)
	{
		need_errno(try_begin_with(proof, flags), "PROFIL_RECORD");
	}
	/** Begin with this proof.  Returns 0 or the error. */
	int try_begin_with(const Fd &proof, uint32_t flags = PROFIL_FOLLOW)
	{
		profil_record record = request(flags);

		record.proof = proof.get();
		const int error = device().call(PROFIL_RECORD, &record);
		if (!error)
			profile_ = record.profile;
		return error;
	}
	int try_begin(pid_t pid, uint32_t flags = PROFIL_FOLLOW)
	{
		return try_begin_with(proof_of(pid), flags);
	}

	/** Begin a system-wide recording.  Returns 0 or the error. */
	int begin_everybody(uint32_t flags = 0)
	{
		const Fd proof = open_proof({.pid = -1, .cpu = sched_getcpu()});

		need(proof.get(), "perf_event_open");
		return try_begin_with(proof, PROFIL_RECORD_EVERYBODY | flags);
	}

	/** The owners with this command name. */
	std::vector<Described> owners(const std::string &who) const
	{
		std::vector<Described> all;

		for (uint32_t number = 1; number <= described(0).numbers; number++) {
			const auto one = known(number);

			if (one && one->kind == PROFIL_KIND_OWNER && one->who() == who)
				all.push_back(*one);
		}
		return all;
	}

	/** Add a process, or a thread.  Returns 0 or the error. */
	int add(pid_t pid) const { return add_with(proof_of(pid)); }
	int add_with(const Fd &proof) const
	{
		profil_add add = describe_addition(profile_, proof.get());

		return device().call(PROFIL_ADD, &add);
	}

	/** The argument of PROFIL_TABLE. */
	profil_table request_table(const Memory &table) const { return describe_table(profile_, table); }

	/** Count in another table from now on.  Returns the rows of the old one. */
	std::vector<Row> change_table(uint32_t counts)
	{
		auto table = std::make_unique<Memory>(counts * sizeof(profil_count));
		profil_table change = request_table(*table);

		need_errno(device().call(PROFIL_TABLE, &change), "PROFIL_TABLE");
		std::vector<Row> before = rows();
		std::swap(table, table_);
		counts_ = counts;
		return before;
	}

	/** Forget a number.  Returns 0 or the error. */
	int forget(uint32_t number) const
	{
		profil_describe about = {};

		about.size = sizeof(about);
		about.flags = PROFIL_DESCRIBE_FORGET;
		about.profile = profile_;
		about.number = number;
		return device().call(PROFIL_DESCRIBE, &about);
	}

	/** End the recording, but keep its numbers. */
	void finish() const
	{
		profil_stop stop = {};

		stop.size = sizeof(stop);
		stop.flags = PROFIL_STOP_KEEP;
		stop.profile = profile_;
		need_errno(device().call(PROFIL_STOP, &stop), "PROFIL_STOP");
	}

	profil_status status() const { return device().status(profile_); }

	/**
	 * The description of a number; nullopt if the number has not been given yet or was
	 * forgotten.
	 */
	std::optional<Described> known(uint32_t number, uint32_t flags = 0) const
	{
		char path[4096];
		Described answer = {};

		answer.size = sizeof(profil_describe);
		answer.flags = flags;
		answer.profile = profile_;
		answer.number = number;
		answer.path = number ? reinterpret_cast<uintptr_t>(path) : 0;
		answer.path_size = number ? sizeof(path) : 0;

		const int error = device().call(PROFIL_DESCRIBE, static_cast<profil_describe *>(&answer));

		if (error == ENOENT)
			return std::nullopt;
		need_errno(error, "PROFIL_DESCRIBE");
		if (answer.path_size)
			answer.place = path;
		return answer;
	}
	Described described(uint32_t number, uint32_t flags = 0) const
	{
		const std::optional<Described> answer = known(number, flags);

		need_that(answer.has_value(), "the number is known");
		return *answer;
	}

	/** Every element in use. */
	std::vector<Row> rows() const
	{
		std::vector<Row> all;

		for (uint32_t i = 0; i < counts_; i++) {
			const auto &element = *table_->at<profil_count>(i * sizeof(profil_count));
			const uint64_t key = __atomic_load_n(&element.key, __ATOMIC_RELAXED);

			if (!key)
				continue;
			const Described cell = described(static_cast<uint32_t>(key >> PROFIL_COUNT_SHIFT));
			need_that(cell.kind == PROFIL_KIND_CELL, "a key has the number of a cell");
			all.push_back({cell.number, described(cell.owner), described(cell.text),
				       key & ((1ULL << PROFIL_COUNT_SHIFT) - 1),
				       __atomic_load_n(&element.count, __ATOMIC_RELAXED)});
		}
		return all;
	}

	/** The rows as text, a line each, for the output of a failed test. */
	std::string rows_text() const
	{
		std::ostringstream text;

		for (const Row &row : rows())
			text << '\n'
			     << row.count << " of " << row.owner.who() << " at " << std::hex << row.offset
			     << std::dec << " of kind " << row.text.kind << ' ' << row.text.place;
		return text.str();
	}

	/** The ticks in all rows for which @p fits returns true. */
	template <typename Fits> uint64_t sum(Fits fits) const
	{
		uint64_t sum = 0;

		for (const Row &row : rows())
			sum += fits(row) ? row.count : 0;
		return sum;
	}
	uint64_t sum() const
	{
		return sum([](const Row &) { return true; });
	}
	uint64_t of_kind(uint32_t kind) const
	{
		return sum([&](const Row &row) { return row.text.kind == kind; });
	}
	/** The ticks in a file's text, or at one offset of it. */
	uint64_t in_file(const std::string &place, std::optional<uint64_t> offset = {}) const
	{
		return sum([&](const Row &row) {
			return row.text.place == place && row.offset == offset.value_or(row.offset);
		});
	}

private:
	Recording(std::shared_ptr<const Device> device, uint32_t counts, uint64_t period)
		: device_(std::move(device)), counts_(counts), period_(period),
		  table_(std::make_unique<Memory>(counts * sizeof(profil_count)))
	{
	}
	static void need_errno(int error, const char *what)
	{
		errno = error;
		need(error ? -1 : 0, what);
	}

	std::shared_ptr<const Device> device_;
	uint32_t counts_;
	uint64_t period_;
	std::unique_ptr<Memory> table_;
	uint32_t profile_ = 0;
};

/** A file whose second page has a loop and may be mapped as text.  Removed at the end. */
class LoopFile {
public:
	static constexpr uint64_t offset = 0x1000;

	/** The loop begins @p place bytes into the page. */
	explicit LoopFile(const std::string &name, uint64_t place = 0) : path_("/tmp/" + name), place_(place)
	{
		fd_ = Fd(need(open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755),
			      path_.c_str()));
		fill(fd_.get(), place);
	}
	LoopFile(const LoopFile &) = delete;
	LoopFile &operator=(const LoopFile &) = delete;
	~LoopFile() { unlink(path_.c_str()); }

	/** Write the loop, between zeroes, into a file. */
	static void fill(int fd, uint64_t place = 0)
	{
		std::string code(2 * offset, '\0');

		__builtin_memcpy(&code[offset + place], code_loop, sizeof(code_loop));
		need_that(pwrite(fd, code.data(), code.size(), 0) == static_cast<ssize_t>(code.size()),
			  "the code is written");
	}

	int fd() const { return fd_.get(); }
	const std::string &path() const { return path_; }
	uint64_t place() const { return place_; }
	/** True if an instruction of the loop is at this offset. */
	bool has_code_at(uint64_t where) const { return where - (offset + place_) < sizeof(code_loop); }
	/** Map the page: the loop is then place() bytes past @p at. */
	void map(uintptr_t at) const { map(fd_.get(), at); }
	static void map(int fd, uintptr_t at)
	{
		void *mapped = mmap(reinterpret_cast<void *>(at), offset, PROT_READ | PROT_EXEC,
				    MAP_SHARED | MAP_FIXED, fd, static_cast<off_t>(offset));

		need_that(mapped != MAP_FAILED, "the file is mapped");
		code_written(mapped, offset);
	}

private:
	std::string path_;
	uint64_t place_;
	Fd fd_;
};

/** Run a loop while @p more returns true. */
inline void spin_while(uintptr_t loop, const std::function<bool()> &more)
{
	while (more())
		code_run(loop, 100'000);
}

/** A child that takes one step after another when told to, and runs a loop in between. */
class Steps {
public:
	explicit Steps(const std::function<void(const std::function<void(uintptr_t loop)> &spin)> &run)
		: child_([this, run] {
			  uint64_t step = 0;
			  run([&](uintptr_t loop) {
				  spin_while(loop, [&] { return counter<uint64_t>(step_) == step; });
				  step++;
			  });
			  for (;;)
				  pause();
		  })
	{
	}

	pid_t pid() const { return child_.pid(); }
	/** End the current loop. */
	void next() { __atomic_add_fetch(step_.at<uint64_t>(), 1, __ATOMIC_RELAXED); }

private:
	Memory step_{4096, MAP_SHARED};
	Child child_;
};

/** Wait until a count has grown by @p more. */
inline bool grows(const std::function<uint64_t()> &count, uint64_t more = 20)
{
	const uint64_t before = count();

	return soon([&] { return count() >= before + more; });
}

/** Sleep until no tick counts in an old mapping any more. */
inline void outlast_belief()
{
	usleep(250'000);
}

} // namespace guest
