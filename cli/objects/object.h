// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/object.h  Mapped objects: programs, shared objects, the vdso, memory. */
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
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cli {

struct KernelText;

/** A loadable segment of an ELF file. */
struct Segment {
	uint64_t offset = 0;
	uint64_t size = 0; /**< in the file */
	uint64_t address = 0;
};

/**
 * A program, a shared object, or anything else that contains instructions.
 *
 * Its addresses are those in the file, as shown by objdump and addr2line, so that
 * samples of processes that load it at different addresses add up.  For anonymous
 * memory, they are the addresses in the process.
 */
struct Object {
	std::string name;
	std::string build_id; /**< bytes, not digits; empty if it has none */
	Source source = Source::File;
	bool deleted = false;
	pid_t pid = 0; /**< for anonymous memory: its process; 0: several processes */
	Fd file;       /**< kept open, so that names can be read when the process and the path are gone */
	std::string no_file;			  /**< the reason why there is no file */
	std::shared_ptr<JitFiles> jit;		  /**< for anonymous memory: the files that name its code */
	std::shared_ptr<const KernelText> kernel; /**< for the kernel or a module: its names */
	std::vector<Segment> segments;
	TextSegments texts;

	/** The link-time address of the byte at @p offset in the file. */
	[[nodiscard]] uint64_t link_address(uint64_t offset) const;
};

/** Read an object's segments and build-id from its file; does nothing if that is not an ELF file. */
void inspect_elf(Object &object);
/** Add an object's executable segments to its texts, as they are mapped. */
void add_segments_as_text(Object &object);
/** The build-id of the file at a path; empty if it has none. */
std::string build_id_of(const std::string &path);

/** A hexadecimal build-id as messages show it: its first 8 digits. */
std::string_view short_build_id(std::string_view digits);

/** All objects found so far, each once, however many processes map it. */
class ObjectTable {
public:
	/** The object of a mapping.  Opens its file through the process, which must still exist. */
	std::shared_ptr<Object> find(pid_t pid, const Mapping &mapping);
	/** Forget the anonymous memory of a process that has ended or called exec; other references stay
	 * valid. */
	void forget_memory(pid_t pid);
	/** Drop the objects that have no other reference. */
	void forget_unused();
	/** The number of objects, plus the number of processes with JIT files. */
	[[nodiscard]] size_t size() const { return objects_.size() + jits_.size(); }

private:
	struct Key {
		Source source;
		uint64_t device;
		uint64_t inode;
		pid_t pid;	    /**< the process, for anonymous memory; else 0 */
		std::string memory; /**< identifies memory without a file */
		auto operator<=>(const Key &) const = default;
	};

	static Key key_of(pid_t pid, const Mapping &mapping);

	/** The most generations of parents that are searched for inherited code. */
	static constexpr unsigned most_generations = 8;

	std::shared_ptr<JitFiles> jit_of(pid_t pid, unsigned generations = most_generations);
	std::shared_ptr<JitFiles> jit_of_parent(pid_t pid, unsigned generations);
	std::shared_ptr<Object> make(pid_t pid, const Mapping &mapping);

	std::map<Key, std::shared_ptr<Object>> objects_;
	std::map<pid_t, std::shared_ptr<JitFiles>> jits_;
};

} // namespace cli
