// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/text_table.h  The objects that the numbers of a recording stand for. */
#pragma once

#include "cli/objects/kernel_objects.h"
#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/process/cgroup_paths.h"
#include "cli/process/maps.h"
#include "cli/process/owner_filter.h"
#include "cli/process/process.h"
#include "cli/profile/thread_total.h"
#include "cli/recording/recorder.h"
#include "cli/recording/session.h"

#include <cstdint>
#include <linux/profil_record.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cli {

/**
 * The name of a program in rows: its command name, or else the base name of the file that was
 * executed, or else "[unknown]".
 * @param path the path of the file; empty: not known.
 */
std::string owner_name(std::string_view command, std::string_view path);
/**
 * The name of a kernel thread in rows: "[kworker]", no matter which CPU or queue it serves.
 * @param command its command name, as in proc_pid_comm(5).
 */
std::string kernel_thread_name(std::string_view command);

/** The ticks of the owners that match, since the start. */
struct Selected {
	uint64_t counted = 0;
	uint64_t kernel = 0;
	uint64_t unowned = 0; /**< ticks whose owner is not known */
};

/** Distinguishes a file from another that has replaced it at its path. */
struct FileFacts {
	uint64_t inode = 0;
	uint64_t bytes = 0;
	uint64_t modified = 0; /**< in ns since 1970 */
};

/** The texts, owners and cells of a recording. */
class TextTable {
public:
	/** @param session must outlive this. */
	explicit TextTable(const Session &session) : session_(session) {}

	/** Call this before a recording with the kernel's samples begins. */
	void prepare() { kernel_.read(); }
	/**
	 * From now on, look up numbers in this profile of the session.
	 * @param with_kernel whether count() adds samples in the kernel.
	 */
	void begin(uint32_t profile, bool with_kernel);
	/** Set whether programs are distinguished by process, and by the process's cgroup. */
	void tell_apart(bool per_process, bool per_cgroup);
	/** Record only the owners that match; each owner is a single process. */
	void select(Criteria criteria, bool follow);
	/** The selection; nullptr: everything is recorded. */
	[[nodiscard]] const OwnerFilter *filter() const { return filter_.get(); }
	/** Describe new numbers while their files and processes still exist. */
	void learn();
	/** True if there is memory with generated code whose process has not ended. */
	[[nodiscard]] bool has_code() const;
	/** True if there are kernel modules whose names have not been read yet. */
	[[nodiscard]] bool has_nameless() const { return kernel_.has_nameless(); }
	/** Look again where processes have generated code, and for files that name it. */
	void look();
	/** Like look(), but once, for processes that have ended: their files may vanish soon. */
	void look_at_ended();
	/** Look again at owners that did not match, if they have new samples. */
	void begin_round();
	/**
	 * Add samples of an element of the recording's table.  Samples in the kernel are added only
	 * if begin() was called with_kernel.
	 * @param threads receives per-thread elements; their samples are in other elements as well.
	 */
	void count(uint64_t key, uint64_t samples, Tally &tally, ThreadTotals &threads);
	/** Numbers of the programs, or processes, in rows; the same name has the same number. */
	[[nodiscard]] const Owners &owners() const { return owners_; }
	/** Restore the owners of a part that is given back. */
	void restore(const Owners &earlier) { owners_.add(earlier); }
	/** The program with the most samples. */
	[[nodiscard]] std::shared_ptr<Object> busiest_program(const Tally &tally) const
	{
		return tally.busiest_of(programs_);
	}
	/** The samples of matching owners that count() was given; only with a selection. */
	[[nodiscard]] const Selected &selected() const { return selected_; }
	/** The number of numbers in use by the module, as of the last learn(). */
	[[nodiscard]] uint32_t in_use() const { return in_use_; }
	/** The highest number that the module ever gives out. */
	[[nodiscard]] uint64_t highest_number() const { return highest_; }
	/**
	 * Forget processes, and their memory, that a call at least a second ago found to have
	 * ended, and find those that have ended since.  All samples must have been given to
	 * count() before.
	 * @param tally the tally whose rows keep their names.
	 */
	void forget_ended(Clock::time_point now, const Tally &tally);
	/** Release objects of ended processes that have no samples. */
	void forget_unused() { objects_.forget_unused(); }

private:
	/** Memory in which a process generates code. */
	struct Code {
		pid_t pid = 0;
		uint64_t base = 0;
		std::optional<ProgramStart> start; /**< mappings are read only while this is the same */
		std::vector<Mapping> mappings;
		std::map<std::string, std::shared_ptr<Object>> objects; /**< by the name of the mapping */
		bool ended = false; /**< its process has ended, and was looked at since */
	};
	struct Number {
		uint32_t kind = 0;
		uint32_t text = 0;			/**< the text of a cell or an owner */
		uint32_t owner = 0;			/**< the owner of a cell */
		uint32_t program = 0;			/**< an owner's number in owners_ */
		pid_t pid = 0;				/**< if the owner is one process */
		bool nobody = false;			/**< owns ticks of unknown processes */
		std::shared_ptr<Object> object;		/**< for a file or a vDSO */
		FileFacts facts;			/**< for a file */
		std::unique_ptr<Code> code;		/**< for memory */
		std::optional<Clock::time_point> ended; /**< when its end was found */
	};

	Number describe(uint32_t number);
	[[nodiscard]] Number *find(uint32_t number);
	[[nodiscard]] bool has_ended(uint32_t key, const Number &number) const;
	[[nodiscard]] std::set<uint32_t> find_ended(Clock::time_point now);
	void add_cells(std::set<uint32_t> &doomed) const;
	void forget_owners(const Tally &tally);
	void learn_module(uint32_t number, const profil_describe &about, const char *name);
	void look_at_modules();
	bool ask(uint32_t number, profil_describe &about, uint32_t flags = 0) const;
	[[nodiscard]] std::optional<OwnerFacts> facts_of(uint32_t owner) const;
	[[nodiscard]] bool is_selected(const Number &cell, const Number &text, uint64_t samples);
	void count_thread(const Number &cell, pid_t tid, uint64_t samples, ThreadTotals &threads);
	uint32_t program_of(const profil_describe &owner);
	[[nodiscard]] uint32_t program_of_cell(const Number &cell) const;
	std::shared_ptr<Object> file_object(profil_describe &text, const std::string &path);
	void open_file(const profil_describe &text, Object &object);
	static void open_again(Number &text);
	static void remember_page(Object &object, uint64_t address);
	std::shared_ptr<Object> vdso_object(uint64_t bytes);
	void look_at(Code &code);
	const std::shared_ptr<Object> &object_at(Code &code, uint64_t address);

	const Session &session_;
	uint32_t profile_ = 0;
	std::unordered_map<uint32_t, Number> numbers_; /* numbers described, less those forgotten */
	uint32_t last_ = 0;			       /* the last number that was described */
	uint32_t in_use_ = 0;
	uint32_t highest_ = 0;
	std::set<std::shared_ptr<Object>> programs_;
	std::unique_ptr<OwnerFilter> filter_;
	bool per_process_ = false;	       /* distinguish owners by PID, if they have one */
	std::unique_ptr<CgroupPaths> cgroups_; /* nullptr unless they distinguish owners */
	Selected selected_;
	bool with_kernel_ = false;
	KernelObjects kernel_;
	ObjectTable objects_;
	Owners owners_;
};

} // namespace cli
