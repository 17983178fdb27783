// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/object.h  What is mapped: programs, shared objects, the vdso, memory. */
#pragma once

#include "cli/base/fd.h"
#include "cli/objects/jit_files.h"
#include "cli/objects/text_segments.h"
#include "cli/process/maps.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cli {

/** A loadable segment of an ELF file. */
struct Segment {
	uint64_t offset = 0;
	uint64_t size = 0; /**< in the file */
	uint64_t address = 0;
};

/**
 * A program, a shared object, or whatever else has instructions.
 *
 * Its addresses are those in the file, which objdump and addr2line show, so
 * that processes which load it at different places add up; for memory that is
 * no file, those of the process.
 */
struct Object {
	std::string name;
	std::string build_id; /**< bytes, not digits; empty without one */
	Source source = Source::File;
	bool deleted = false;
	Fd file; /**< held, so that names can be read when the process and the path are gone */
	std::shared_ptr<JitFiles> jit; /**< of memory: what its process tells of it */
	std::vector<Segment> segments;
	TextSegments texts;

	/** Link-time address of a byte of the file. */
	[[nodiscard]] uint64_t link_address(uint64_t offset) const;
};

/** Read an object's segments and build-id from its file; leaves it empty if it is no ELF. */
void inspect_elf(Object &object);

/** Every object that was met, once, however many processes map it. */
class ObjectTable {
public:
	/** The object of a mapping, opened through the process while it lives. */
	std::shared_ptr<Object> find(pid_t pid, const Mapping &mapping);
	/** Memory of this process is another's from now on; who holds its objects keeps them. */
	void forget_memory(pid_t pid);
	/** Close what nobody else holds. */
	void forget_unused();
	/** Objects, and processes whose JIT's files are known. */
	[[nodiscard]] size_t size() const { return objects_.size() + jits_.size(); }

private:
	struct Key {
		Source source;
		uint64_t device;
		uint64_t inode;
		pid_t pid;	    /**< of memory that is a process's own; else 0 */
		std::string memory; /**< what tells memory without a file apart */
		auto operator<=>(const Key &) const = default;
	};

	static Key key_of(pid_t pid, const Mapping &mapping);

	/** Of so many parents before is asked who has made the code. */
	static constexpr unsigned most_generations = 8;

	std::shared_ptr<JitFiles> jit_of(pid_t pid, unsigned generations = most_generations);
	std::shared_ptr<JitFiles> jit_of_parent(pid_t pid, unsigned generations);
	std::shared_ptr<Object> make(pid_t pid, const Mapping &mapping);

	std::map<Key, std::shared_ptr<Object>> objects_;
	std::map<pid_t, std::shared_ptr<JitFiles>> jits_;
};

} // namespace cli
