// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/object_code.h  The instructions of a recorded object, from its file as it is now. */
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
	std::string root; /**< put before their paths */
	Syntax syntax = Syntax::Att;
};

/** A file that is the recorded one, as far as build-ids tell. */
class ObjectCode {
public:
	/** Most bytes that one call of instructions() decodes. */
	static constexpr uint64_t most_bytes = uint64_t{256} << 10;

	/**
	 * Open the file of a mapping.  The error says why its instructions cannot
	 * be shown (no file, or one with another build-id), and the next step.
	 */
	static Result<ObjectCode> open(const ProfileMapping &mapping, const CodeOptions &options);

	/** What is doubtful about it, a sentence; empty if nothing is. */
	[[nodiscard]] const std::string &doubt() const { return doubt_; }
	/** When the file was written: s since 1970. */
	[[nodiscard]] time_t modified() const { return modified_; }

	/**
	 * The link-time address of a profile's: the same in what 'profil record'
	 * writes; other tools have the address in the process.
	 */
	[[nodiscard]] uint64_t link_address(const ProfileMapping &mapping, uint64_t address) const;
	/** Is there text at a link-time address? */
	[[nodiscard]] bool has_text(uint64_t address) const { return segment_at(address) != nullptr; }
	/** As far as the file has text there, and at most most_bytes. */
	[[nodiscard]] std::vector<Instruction> instructions(Extent extent) const;
	/** Functions and lines at a link-time address, and where functions begin and end. */
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
