// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/disassembly.h  Instructions as text, by capstone. */
#pragma once

#include "cli/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** What the instructions of an object are for. */
enum class Machine { X86_64, I386, Aarch64 };

/** How x86's are written: as objdump does unless told otherwise, or as Intel does. */
enum class Syntax { Att, Intel };

/** The machine of an ELF file; nothing if it is none that we can disassemble. */
std::optional<Machine> machine_of(int fd);

/** Where an instruction can take the program, besides the next one. */
enum class Flow { On, Jump, Call };

struct Instruction {
	uint64_t address = 0;
	std::string bytes;
	std::string text; /**< "mnemonic operands"; "(bad)" for what is not known as an instruction */
	Flow flow = Flow::On;
	std::optional<uint64_t> target; /**< of a direct jump or call */
	bool goes_on = true;		/**< can the next one follow? */

	[[nodiscard]] uint64_t end() const { return address + bytes.size(); }
	bool operator==(const Instruction &) const = default;
};

/** An open capstone. */
class Disassembler {
public:
	static Result<Disassembler> open(Machine machine, Syntax syntax);

	/**
	 * Decode all of @p bytes, the first of which is at @p address.  What
	 * is no instruction is passed over by the smallest step that there is,
	 * as objdump does; every byte belongs to one element.
	 */
	[[nodiscard]] std::vector<Instruction> decode(std::string_view bytes, uint64_t address) const;

private:
	struct Closer {
		void operator()(size_t *handle) const;
	};

	Disassembler(std::unique_ptr<size_t, Closer> handle, Machine machine)
		: handle_(std::move(handle)), machine_(machine)
	{
	}

	std::unique_ptr<size_t, Closer> handle_; /* capstone's csh */
	Machine machine_;
};

} // namespace cli
