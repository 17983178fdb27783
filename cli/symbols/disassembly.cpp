// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/disassembly.h"

#include "cli/symbols/capstone.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace cli {
namespace {

/** The library, which Disassembler::open() has loaded. */
const Capstone &library()
{
	return **capstone();
}

struct InsnCloser {
	void operator()(cs_insn *instruction) const { library().free(instruction, 1); }
};

std::pair<cs_arch, cs_mode> mode_of(Machine machine)
{
	switch (machine) {
	case Machine::I386: return {CS_ARCH_X86, CS_MODE_32};
	case Machine::Aarch64: return {CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN};
	default: return {CS_ARCH_X86, CS_MODE_64};
	}
}

/* capstone has x86's loop and jrcxz only in the group of relative branches. */
Flow flow_of(const cs_insn &instruction)
{
	const cs_detail &detail = *instruction.detail;
	const std::span groups(detail.groups, detail.groups_count);
	const auto in = [&](uint8_t group) {
		return std::find(groups.begin(), groups.end(), group) != groups.end();
	};

	if (in(CS_GRP_CALL))
		return Flow::Call;
	return in(CS_GRP_JUMP) || in(CS_GRP_BRANCH_RELATIVE) ? Flow::Jump : Flow::On;
}

/** The target of a direct jump: the last operand, if that is a number. */
std::optional<uint64_t> target_of(const cs_insn &instruction, Machine machine)
{
	if (machine == Machine::Aarch64) {
		const cs_arm64 &arm = instruction.detail->arm64;

		if (!arm.op_count || arm.operands[arm.op_count - 1].type != ARM64_OP_IMM)
			return std::nullopt;
		return static_cast<uint64_t>(arm.operands[arm.op_count - 1].imm);
	}

	const cs_x86 &x86 = instruction.detail->x86;

	if (x86.op_count != 1 || x86.operands[0].type != X86_OP_IMM)
		return std::nullopt;
	return static_cast<uint64_t>(x86.operands[0].imm);
}

/** True if execution can continue at the next instruction. */
bool falls_through(const cs_insn &instruction, Machine machine)
{
	const cs_detail &detail = *instruction.detail;
	const std::span groups(detail.groups, detail.groups_count);

	if (std::find(groups.begin(), groups.end(), CS_GRP_RET) != groups.end())
		return false;
	if (machine != Machine::Aarch64)
		return instruction.id != X86_INS_JMP && instruction.id != X86_INS_LJMP &&
		       instruction.id != X86_INS_UD2 && instruction.id != X86_INS_HLT;

	const arm64_cc condition = detail.arm64.cc;
	const bool always = condition == ARM64_CC_INVALID || condition == ARM64_CC_AL;

	return instruction.id != ARM64_INS_BR && instruction.id != ARM64_INS_RET &&
	       !(instruction.id == ARM64_INS_B && always);
}

Instruction converted(const cs_insn &decoded, Machine machine)
{
	Instruction instruction;

	instruction.address = decoded.address;
	instruction.bytes.assign(reinterpret_cast<const char *>(decoded.bytes), decoded.size);
	instruction.text = *decoded.op_str ? fmt::format("{:<6} {}", decoded.mnemonic, decoded.op_str)
					   : std::string(decoded.mnemonic);
	instruction.flow = flow_of(decoded);
	/* capstone classifies AArch64's bl as a jump. */
	if (machine == Machine::Aarch64 && (decoded.id == ARM64_INS_BL || decoded.id == ARM64_INS_BLR))
		instruction.flow = Flow::Call;
	if (instruction.flow != Flow::On)
		instruction.target = target_of(decoded, machine);
	instruction.falls_through = falls_through(decoded, machine);
	return instruction;
}

} // namespace

void Disassembler::Closer::operator()(size_t *handle) const
{
	library().close(handle);
	delete handle;
}

Result<Disassembler> Disassembler::open(Machine machine, Syntax syntax)
{
	if (const auto loaded = capstone(); !loaded)
		return loaded.error();

	const auto [architecture, mode] = mode_of(machine);
	csh handle = 0;
	const cs_err error = library().open(architecture, mode, &handle);

	if (error != CS_ERR_OK)
		return Error{fmt::format("cannot disassemble: libcapstone: {}", library().strerror(error))};

	std::unique_ptr<size_t, Closer> owned(new size_t(handle));

	library().option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (architecture == CS_ARCH_X86)
		library().option(handle, CS_OPT_SYNTAX,
				 syntax == Syntax::Intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
	return Disassembler(std::move(owned), machine);
}

std::vector<Instruction> Disassembler::decode(std::string_view bytes, uint64_t address) const
{
	const std::unique_ptr<cs_insn, InsnCloser> decoded(library().malloc(*handle_));
	const size_t step = machine_ == Machine::Aarch64 ? 4 : 1;
	const auto *code = reinterpret_cast<const uint8_t *>(bytes.data());
	size_t left = bytes.size();
	std::vector<Instruction> instructions;

	while (left) {
		if (library().disasm_iter(*handle_, &code, &left, &address, decoded.get())) {
			instructions.push_back(converted(*decoded, machine_));
			continue;
		}

		const size_t passed = std::min(step, left);
		const std::string_view unknown(reinterpret_cast<const char *>(code), passed);

		instructions.push_back({address, std::string(unknown), "(bad)", Flow::On, std::nullopt});
		code += passed;
		address += passed;
		left -= passed;
	}
	return instructions;
}

} // namespace cli
