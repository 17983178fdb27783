// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/debug_info.h"

#include "cli/names/demangle.h"

#include <algorithm>
#include <dwarf.h>

namespace cli {
namespace {

/* Limits the depth of nested namespaces in a hostile file. */
constexpr unsigned most_nested = 64;
/* The most lines that libdw keeps, at about 100 bytes each. */
constexpr size_t most_lines = 400000;

std::string string_attribute(Dwarf_Die &die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *text = nullptr;

	if (dwarf_attr_integrate(&die, name, &attribute))
		text = dwarf_formstring(&attribute);
	return text ? text : "";
}

int64_t number_attribute(Dwarf_Die &die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	if (dwarf_attr_integrate(&die, name, &attribute) && !dwarf_formudata(&attribute, &number))
		return static_cast<int64_t>(number);
	return 0;
}

/* Before DWARF 5, paths may be relative to the directory that the compiler ran in. */
std::string source_path(Dwarf_Die &unit, const char *path)
{
	if (!path)
		return "";
	if (*path == '/')
		return path;

	const std::string directory = string_attribute(unit, DW_AT_comp_dir);

	return directory.empty() ? path : directory + "/" + path;
}

Frame function_frame(Dwarf_Die &function)
{
	Frame frame;

	frame.system_name = string_attribute(function, DW_AT_linkage_name);
	if (frame.system_name.empty())
		frame.system_name = string_attribute(function, DW_AT_name);
	frame.name = demangle(frame.system_name);
	frame.start_line = number_attribute(function, DW_AT_decl_line);
	return frame;
}

void set_line(Frame &frame, Dwarf_Die &unit, Dwarf_Addr address)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
	int number = 0;

	if (!line)
		return;
	frame.file = source_path(unit, dwarf_linesrc(line, nullptr, nullptr));
	if (!dwarf_lineno(line, &number))
		frame.line = number;
}

/** Sets the line of @p frame to the line from which @p inlined was called. */
void set_call_line(Frame &frame, Dwarf_Die &unit, Dwarf_Die &inlined)
{
	const auto file = static_cast<size_t>(number_attribute(inlined, DW_AT_call_file));
	Dwarf_Files *files = nullptr;
	size_t count = 0;

	if (!dwarf_getsrcfiles(&unit, &files, &count) && file < count)
		frame.file = source_path(unit, dwarf_filesrc(files, file, nullptr, nullptr));
	frame.line = number_attribute(inlined, DW_AT_call_line);
}

bool may_hold_inlined(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

/** Appends the functions inlined below @p scope that contain @p address, outermost first. */
void descend(Dwarf_Die scope, Dwarf_Addr address, std::vector<Dwarf_Die> &chain)
{
	Dwarf_Die child;

	for (int end = dwarf_child(&scope, &child); !end; end = dwarf_siblingof(&child, &child)) {
		const int tag = dwarf_tag(&child);

		if (!may_hold_inlined(tag) || dwarf_haspc(&child, address) != 1)
			continue;
		if (tag == DW_TAG_inlined_subroutine)
			chain.push_back(child);
		return descend(child, address, chain);
	}
}

} // namespace

DebugInfo::DebugInfo(Dwfl_Module *module)
{
	Dwarf_Die *unit = nullptr;

	dwarf_ = module ? dwfl_module_getdwarf(module, &bias_) : nullptr;
	if (!dwarf_)
		return;
	while ((unit = dwfl_module_nextcu(module, unit, &bias_)))
		add_ranges(units_, *unit);
	sort(units_);
}

void DebugInfo::add_ranges(Ranges &ranges, Dwarf_Die &die)
{
	Dwarf_Addr base = 0;
	Dwarf_Addr low = 0;
	Dwarf_Addr high = 0;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;) {
		/* Functions that the linker discarded have address 0. */
		if (low && low < high)
			ranges.push_back({low, high, dwarf_dieoffset(&die)});
	}
}

void DebugInfo::sort(Ranges &ranges)
{
	std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.low < b.low; });
}

std::optional<Dwarf_Off> DebugInfo::find(const Ranges &ranges, Dwarf_Addr address)
{
	auto above = std::upper_bound(ranges.begin(), ranges.end(), address,
				      [](Dwarf_Addr value, const Range &range) { return value < range.low; });

	if (above == ranges.begin() || address >= std::prev(above)->high)
		return std::nullopt;
	return std::prev(above)->die;
}

Dwarf_Off DebugInfo::unit_of(Dwarf_Addr address) const
{
	return find(units_, address - bias_).value_or(0);
}

/*
 * Skips functions nested in others: to find these, everything else, especially types, must be read,
 * and that takes most of the time.
 */
void DebugInfo::add_functions(Ranges &ranges, Dwarf_Die scope, unsigned depth)
{
	Dwarf_Die child;

	for (int end = dwarf_child(&scope, &child); !end; end = dwarf_siblingof(&child, &child)) {
		const int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			add_ranges(ranges, child);
		else if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < most_nested)
			add_functions(ranges, child, depth + 1);
	}
}

void DebugInfo::add_nested_functions(Ranges &ranges, Dwarf_Die &unit)
{
	dwarf_getfuncs(
		&unit,
		[](Dwarf_Die *function, void *list) {
			add_ranges(*static_cast<Ranges *>(list), *function);
			return static_cast<int>(DWARF_CB_OK);
		},
		&ranges, 0);
}

std::optional<Dwarf_Off> DebugInfo::find_function(Dwarf_Die &unit, Dwarf_Addr address)
{
	const auto [place, fresh] = functions_.try_emplace(dwarf_dieoffset(&unit));
	Functions &functions = place->second;

	if (fresh) {
		add_functions(functions.ranges, unit, 0);
		sort(functions.ranges);
	}

	std::optional<Dwarf_Off> found = find(functions.ranges, address);

	if (!found && !functions.complete) {
		functions.ranges.clear();
		add_nested_functions(functions.ranges, unit);
		sort(functions.ranges);
		functions.complete = true;
		found = find(functions.ranges, address);
	}
	return found;
}

bool DebugInfo::open_unit(Dwarf_Off offset, Dwarf_Die &unit)
{
	Dwarf_Lines *lines = nullptr;
	size_t count = 0;

	if (!functions_.contains(offset) && lines_ > most_lines) {
		functions_.clear();
		reader_.reset();
		lines_ = 0;
	}
	if (!reader_) {
		reader_.reset(dwarf_begin_elf(dwarf_getelf(dwarf_), DWARF_C_READ, nullptr));
		if (reader_)
			dwarf_setalt(reader_.get(), dwarf_getalt(dwarf_));
	}
	if (!reader_ || !dwarf_offdie(reader_.get(), offset, &unit))
		return false;
	if (!functions_.contains(offset) && !dwarf_getsrclines(&unit, &lines, &count))
		lines_ += count;
	return true;
}

std::vector<Frame> DebugInfo::frames(Dwarf_Addr address)
{
	const std::optional<Dwarf_Off> offset = find(units_, address - bias_);
	std::vector<Dwarf_Die> chain;
	std::vector<Frame> frames;
	Dwarf_Die unit;
	Dwarf_Die function;

	if (!offset || !open_unit(*offset, unit))
		return frames;
	if (const std::optional<Dwarf_Off> found = find_function(unit, address - bias_);
	    found && dwarf_offdie(reader_.get(), *found, &function)) {
		chain.push_back(function);
		descend(function, address - bias_, chain);
	}
	/* Assembly has lines but no functions. */
	if (chain.empty())
		set_line(frames.emplace_back(), unit, address - bias_);
	for (size_t i = chain.size(); i-- > 0;) {
		frames.push_back(function_frame(chain[i]));
		if (i + 1 == chain.size())
			set_line(frames.back(), unit, address - bias_);
		else
			set_call_line(frames.back(), unit, chain[i + 1]);
	}
	return frames;
}

} // namespace cli
