// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/symbols.h"

#include "cli/base/characters.h"
#include "cli/names/demangle.h"
#include "cli/names/short_name.h"
#include "cli/objects/kernel_objects.h"
#include "cli/objects/module_file.h"
#include "cli/profile/nameless_code.h"
#include "cli/symbols/debug_file.h"

#include <algorithm>
#include <cstddef>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace cli {
namespace {

const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = nullptr,
};

/** The base address for libdwfl: 0, or for a kernel module that of lay_out_module(). */
GElf_Addr base_of(const Fd &file)
{
	GElf_Half type = ET_NONE;
	const ssize_t got = pread(file.get(), &type, sizeof(type), offsetof(Elf64_Ehdr, e_type));

	return got == sizeof(type) && type == ET_REL ? module_shift : 0;
}

/** Adds the object as the only module, at its link-time addresses; nullptr if it is not an ELF file. */
Dwfl_Module *report_object(Dwfl *dwfl, const Object &object)
{
	if (!dwfl || !object.file)
		return nullptr;

	Fd file(fcntl(object.file.get(), F_DUPFD_CLOEXEC, 3));

	dwfl_report_begin(dwfl);
	Dwfl_Module *module = dwfl_report_elf(dwfl, object.name.c_str(), object.name.c_str(), file.get(),
					      base_of(file), true);
	/* The module now owns the descriptor. */
	if (module)
		static_cast<void>(file.release());
	dwfl_report_end(dwfl, nullptr, nullptr);
	return module;
}

Frame named_frame(std::string_view name)
{
	Frame frame;

	frame.name = frame.system_name = name;
	return frame;
}

} // namespace

Symbols::Symbols(const Object &object, Detail detail)
	: object_name_(base_name(object.name)), kernel_(object.kernel), dwfl_(dwfl_begin(&callbacks)),
	  module_(report_object(dwfl_.get(), object))
{
	GElf_Addr bias = 0;

	if (object.jit)
		jit_ = object.jit->read();
	if (object.source == Source::Anonymous)
		nameless_ = nameless_code_name(object.pid);
	if (kernel_)
		nameless_ = object.name;
	if (!module_)
		return;
	table_ = SymbolTable(module_);
	if (detail == Detail::Lines || table_.empty())
		debug_ = DebugInfo(module_);
	if (Elf *elf = dwfl_module_getelf(module_, &bias)) {
		plt_ = Plt(elf);
		starts_ = FunctionStarts(elf);
	}
}

/**
 * The start of a function according to .eh_frame.  A call frame must cover the address: text
 * without call frames, such as assembly, may follow a function that has one.
 */
std::optional<uint64_t> Symbols::start_without_symbol(uint64_t address)
{
	Dwarf_Addr bias = 0;
	Dwarf_Frame *frame = nullptr;
	Dwarf_CFI *calls = dwfl_module_eh_cfi(module_, &bias);

	if (!calls || dwarf_cfi_addrframe(calls, address - bias, &frame))
		return std::nullopt;
	std::free(frame);
	return starts_.find(address);
}

/* A symbol without a size extends to the next one, unless another function begins in between. */
std::optional<SymbolTable::Entry> Symbols::entry_at(uint64_t address)
{
	const std::optional<SymbolTable::Entry> symbol = table_.find(address);

	if (!symbol)
		return plt_.find(address, table_);
	if (symbol->sized)
		return symbol;

	const std::optional<uint64_t> start = start_without_symbol(address);

	return !start || *start <= symbol->start ? symbol : std::nullopt;
}

std::optional<Extent> Symbols::extent(uint64_t address)
{
	if (!module_)
		return std::nullopt;

	const uint64_t next = starts_.next(address).value_or(UINT64_MAX);

	if (const auto symbol = entry_at(address))
		return Extent{symbol->start, symbol->sized ? symbol->end : std::min(symbol->end, next)};
	if (const std::optional<uint64_t> start = start_without_symbol(address))
		return Extent{*start, next};
	return std::nullopt;
}

std::string Symbols::label(uint64_t address)
{
	const auto symbol = module_ ? entry_at(address) : std::nullopt;

	if (!symbol)
		return "";

	const std::string name = short_name(demangle(symbol->name));

	return symbol->start == address ? name : fmt::format("{}+{:#x}", name, address - symbol->start);
}

std::vector<size_t> Symbols::unit_by_unit(std::span<const uint64_t> addresses) const
{
	std::vector<std::pair<uint64_t, size_t>> units;
	std::vector<size_t> order;

	units.reserve(addresses.size());
	order.reserve(addresses.size());
	for (size_t i = 0; i < addresses.size(); i++)
		units.emplace_back(unit_of(addresses[i]), i);
	/* Without debug information, all addresses have unit 0, and this is sorted already. */
	if (!std::is_sorted(units.begin(), units.end()))
		std::sort(units.begin(), units.end());
	for (const auto &[unit, index] : units)
		order.push_back(index);
	return order;
}

/*
 * A function without a symbol may have a name in the debug information: if several
 * objects contain the same text, the linker keeps the symbol in only one of them.
 */
std::optional<Frame> Symbols::function_without_symbol(uint64_t address)
{
	if (debug_.present())
		return std::nullopt;
	if (!names_)
		names_ = DebugInfo(module_);

	const std::vector<Frame> frames = names_->frames(address);

	if (frames.empty() || frames.back().name.empty())
		return std::nullopt;

	Frame function;

	function.name = frames.back().name;
	function.system_name = frames.back().system_name;
	return function;
}

/* Addresses are usually looked up in order, so the next one is often in the same function. */
const std::string &Symbols::readable_name(const char *name)
{
	if (name != readable_of_)
		readable_ = demangle(name);
	readable_of_ = name;
	return readable_;
}

std::vector<Frame> Symbols::frames_at(uint64_t address)
{
	std::vector<Frame> frames = debug_.frames(address);
	const std::optional<SymbolTable::Entry> symbol = entry_at(address);

	if (frames.empty())
		frames.emplace_back();

	Frame &function = frames.back();

	if (symbol) {
		function.system_name = symbol->name;
		function.name = readable_name(symbol->name);
		if (symbol->sized && !debug_.present())
			alike_ = {address, std::min(symbol->end, table_.next(address))};
	} else if (const std::optional<Frame> named = function_without_symbol(address)) {
		function = *named;
	} else if (function.name.empty()) {
		if (const std::optional<uint64_t> start = start_without_symbol(address))
			function.name = function.system_name = fmt::format("{}+{:#x}", object_name_, *start);
	}
	if (function.name.empty())
		frames.clear();
	return frames;
}

std::vector<Frame> Symbols::jit_frames(const JitSymbols::Entry &entry, uint64_t address) const
{
	const JitSymbols::Place *place = entry.code->place_at(address - entry.base);
	Frame frame;

	frame.name = frame.system_name = entry.code->name;
	if (place) {
		frame.file = *place->file;
		frame.line = place->line;
	}
	return {frame};
}

std::vector<Frame> Symbols::named_frames(uint64_t address)
{
	if (const JitSymbols::Entry *entry = jit_.find(address))
		return jit_frames(*entry, address);
	if (const std::string_view name = kernel_ ? kernel_->name_at(address) : ""; !name.empty())
		return {named_frame(name)};
	return module_ ? frames_at(address) : std::vector<Frame>();
}

std::vector<Frame> Symbols::frames(uint64_t address)
{
	alike_ = {};

	std::vector<Frame> found = named_frames(address);

	if (found.empty() && !nameless_.empty())
		found = {named_frame(nameless_)};
	return found;
}

} // namespace cli
