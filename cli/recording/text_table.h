// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/text_table.h  What the numbers of a recording stand for, as objects. */
#pragma once

#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/process/maps.h"
#include "cli/process/process.h"
#include "cli/recording/session.h"

#include <cstdint>
#include <linux/profil_record.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/**
 * What rows call a program of a recording: its command name, or else the base name of the
 * file that was executed, or else "[unknown]".
 * @param path of the file; empty: not known.
 */
std::string owner_name(std::string_view command, std::string_view path);

/** The texts, owners and cells of a recording. */
class TextTable {
public:
	/** @param session must outlive this. */
	explicit TextTable(const Session &session) : session_(session) {}

	/** From now on, this is about that profile of the session. */
	void begin(uint32_t profile) { profile_ = profile; }
	/** Ask what new numbers stand for, as long as files and processes are there. */
	void learn();
	/** Look again where the processes that make code have put it, and for files that name it. */
	void look();
	/** The same for processes that have ended, before what they leave behind is gone. */
	void look_at_ended(const std::set<pid_t> &pids);
	/** Add samples of an element of the recording's table; those of the kernel are not added. */
	void count(uint64_t key, uint64_t samples, Tally &tally);
	/** Numbers for the programs, or for the processes; those of one name have one number. */
	[[nodiscard]] const Owners &owners() const { return owners_; }
	/** The program with most samples. */
	[[nodiscard]] std::shared_ptr<Object> busiest_program(const Tally &tally) const;
	/** Release objects of ended processes that have no samples. */
	void forget_unused() { objects_.forget_unused(); }

private:
	/** Memory in which a process makes code. */
	struct Code {
		pid_t pid = 0;
		uint64_t base = 0;
		std::optional<ProgramStart> start; /**< its mappings are no others' */
		std::vector<Mapping> mappings;
		std::map<std::string, std::shared_ptr<Object>> objects; /**< by the name of the mapping */
	};
	struct Number {
		uint32_t kind = 0;
		uint32_t text = 0;		/**< of a cell or an owner */
		uint32_t owner = 0;		/**< of a cell */
		uint32_t program = 0;		/**< of an owner: in owners_ */
		std::shared_ptr<Object> object; /**< of a file or vDSO */
		std::unique_ptr<Code> code;	/**< of memory */
	};

	Number describe(uint32_t number);
	uint32_t program_of(const profil_describe &owner);
	[[nodiscard]] uint32_t program_of_cell(const Number &cell) const;
	std::shared_ptr<Object> file_object(profil_describe &text, const std::string &path);
	Fd open_file(profil_describe &text, const std::string &path);
	std::shared_ptr<Object> vdso_object(uint64_t bytes);
	void look_at(Code &code);
	const std::shared_ptr<Object> &object_at(Code &code, uint64_t address);

	const Session &session_;
	uint32_t profile_ = 0;
	std::vector<Number> numbers_ = std::vector<Number>(1); /* from 1 */
	ObjectTable objects_;
	Owners owners_; /* at most as many as the module gives numbers */
};

} // namespace cli
