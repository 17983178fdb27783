// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/object_code.h  Reads the instructions of a recorded object from its file. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"
#include "cli/symbols/disassembly.h"
#include "cli/symbols/symbols.h"

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** Where and how to read objects. */
struct CodeOptions {
	std::string root; /**< a directory that is put before the objects' paths */
	Syntax syntax = Syntax::Att;
};

/** The file of a mapping, with the build-id that was recorded, if any. */
class ObjectCode {
public:
	/** The most bytes that one call to instructions() decodes. */
	static constexpr uint64_t most_bytes = uint64_t{256} << 10;

	/**
	 * Open the file of a mapping.  The error says why its instructions cannot
	 * be shown (the file is missing or has another build-id), and the next step.
	 */
	static Result<ObjectCode> open(const ProfileMapping &mapping, const CodeOptions &options);

	/** A sentence that says why the instructions may be wrong; empty if there is no doubt. */
	[[nodiscard]] const std::string &doubt() const { return doubt_; }
	/** The modification time of the file, in s since 1970. */
	[[nodiscard]] time_t modified() const { return modified_; }

	/**
	 * The link-time address for an address in a profile.  'profil record' writes
	 * link-time addresses; other tools write addresses in the process.
	 */
	[[nodiscard]] uint64_t link_address(const ProfileMapping &mapping, uint64_t address) const;
	/** True if there is text at a link-time address. */
	[[nodiscard]] bool has_text(uint64_t address) const { return segment_at(address) != nullptr; }
	/** Decode the part of @p extent that is in the file, but at most most_bytes. */
	[[nodiscard]] std::vector<Instruction> instructions(Extent extent) const;
	/** The functions and lines at link-time addresses, and the extents of functions. */
	[[nodiscard]] Symbols &symbols() const { return *symbols_; }

private:
	ObjectCode(std::unique_ptr<Object> object, Disassembler disassembler);
	[[nodiscard]] const Segment *segment_at(uint64_t address) const;

	std::unique_ptr<Object> object_;
	std::unique_ptr<Symbols> symbols_;
	Disassembler disassembler_;
	std::string doubt_;
	time_t modified_ = 0;
};

} // namespace cli
