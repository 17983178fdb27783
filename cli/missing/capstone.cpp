// SPDX-License-Identifier: GPL-2.0-or-later
/* Without libcapstone's headers: what there is in place of disassembly.cpp. */
#include "cli/symbols/disassembly.h"

#include <cstdlib>

namespace cli {

void Disassembler::Closer::operator()(size_t * /*handle*/) const {}

Result<Disassembler> Disassembler::open(Machine /*machine*/, Syntax /*syntax*/)
{
	return Error{"cannot disassemble: this profil was built without libcapstone (install its headers, "
		     "and build profil again)"};
}

/* open() makes no disassembler, so nobody calls this. */
std::vector<Instruction> Disassembler::decode(std::string_view /*bytes*/, uint64_t /*address*/) const
{
	std::abort();
}

} // namespace cli
