// SPDX-License-Identifier: GPL-2.0-or-later
/* Replaces symbols/capstone.cpp and symbols/disassembly.cpp in a build without libcapstone's headers. */
#include "cli/symbols/disassembly.h"

#include <cstdlib>

namespace cli {

void Disassembler::Closer::operator()(size_t * /*handle*/) const {}

Result<Disassembler> Disassembler::open(Machine /*machine*/, Syntax /*syntax*/)
{
	return Error{"cannot disassemble: this profil was built without libcapstone (install its headers, "
		     "and build profil again)"};
}

/* Never called, as open() always fails. */
std::vector<Instruction> Disassembler::decode(std::string_view /*bytes*/, uint64_t /*address*/) const
{
	std::abort();
}

} // namespace cli
