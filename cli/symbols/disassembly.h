// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/symbols/disassembly.h  Disassembles instructions with capstone. */
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

/** The instruction set of an object. */
enum class Machine { X86_64, I386, Aarch64 };

/** The syntax of x86 instructions: AT&T, as in objdump by default, or Intel. */
enum class Syntax { Att, Intel };

/** The machine of an ELF file; nullopt if we cannot disassemble it. */
std::optional<Machine> machine_of(int fd);

/** How an instruction can pass control to one that is not the next. */
enum class Flow { On, Jump, Call };

struct Instruction {
	uint64_t address = 0;
	std::string bytes;
	std::string text; /**< "mnemonic operands"; "(bad)" for an unknown instruction */
	Flow flow = Flow::On;
	std::optional<uint64_t> target; /**< the target of a direct jump or call */
	bool falls_through = true;	/**< execution can continue at the next instruction */

	[[nodiscard]] uint64_t end() const { return address + bytes.size(); }
	bool operator==(const Instruction &) const = default;
};

/** An open handle of capstone. */
class Disassembler {
public:
	static Result<Disassembler> open(Machine machine, Syntax syntax);

	/**
	 * Decode all of @p bytes, which begin at @p address.  Bytes that are not
	 * an instruction are skipped by the smallest possible step, as in objdump;
	 * every byte belongs to exactly one element.
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
