// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/mapping.h"

#include "cli/base/numbers.h"

namespace cli {

ProfileMapping mapping_at(const Object &object, Symbols &symbols, uint64_t address)
{
	const TextSegment *text = object.texts.find(address);
	ProfileMapping mapping;

	mapping.start = text ? text->low : address;
	mapping.limit = text ? text->high : address + 1;
	mapping.offset = text ? text->offset : 0;
	mapping.filename = object.name;
	mapping.build_id = hex(object.build_id);
	set_known(mapping, symbols);
	return mapping;
}

void set_known(ProfileMapping &mapping, Symbols &symbols)
{
	mapping.has_functions = symbols.has_functions() || symbols.has_lines();
	mapping.has_filenames = mapping.has_line_numbers = symbols.has_lines();
}

} // namespace cli
