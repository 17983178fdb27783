// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/plt.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <gelf.h>
#include <utility>

namespace cli {
namespace {

constexpr std::array<std::string_view, 3> section_names = {".plt", ".plt.sec", ".plt.got"};
/* The limit for all sections together: in a hostile file, sections may overlap. */
constexpr uint64_t most_relocations = uint64_t{1} << 22;
constexpr uint64_t most_text = uint64_t{4} << 20;

constexpr std::string_view jump("\xFF\x25", 2); /* jmp *displacement(%rip) */
constexpr size_t jump_size = 6;
constexpr std::string_view bound("\xF2", 1);			 /* MPX's prefix */
constexpr std::string_view branch_target("\xF3\x0F\x1E\xFA", 4); /* endbr64 */
constexpr uint64_t most_stub = 16;

/* The file may be truncated. */
std::string_view content_of(Elf_Scn *scn)
{
	const Elf_Data *data = elf_rawdata(scn, nullptr);

	if (!data || !data->d_buf)
		return {};
	return {static_cast<const char *>(data->d_buf), std::min<size_t>(data->d_size, most_text)};
}

/** The start of the stub whose jump is at @p at. */
size_t start_of(std::string_view text, size_t at)
{
	for (const std::string_view prefix : {bound, branch_target}) {
		if (text.substr(0, at).ends_with(prefix))
			at -= prefix.size();
	}
	return at;
}

/** The slot that the jump at an offset goes through. */
uint64_t slot_of(std::string_view text, size_t at, uint64_t address)
{
	int32_t displacement = 0;

	std::memcpy(&displacement, text.data() + at + jump.size(), sizeof(displacement));
	return address + at + jump_size + static_cast<uint64_t>(int64_t{displacement});
}

bool is_of_function(uint64_t type)
{
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_IRELATIVE;
}

} // namespace

Plt::Plt(Elf *elf) : elf_(elf)
{
	GElf_Ehdr about;
	size_t names = 0;

	if (!gelf_getehdr(elf, &about) || about.e_machine != EM_X86_64 || elf_getshdrstrndx(elf, &names))
		return;
	for (Elf_Scn *scn = nullptr;
	     (scn = elf_nextscn(elf, scn)) && sections_.size() < section_names.size();) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR))
			continue;

		const char *text = elf_strptr(elf, names, header.sh_name);
		const std::string_view name = text ? text : "";
		const auto *known = std::find(section_names.begin(), section_names.end(), name);

		if (known != section_names.end() && header.sh_size <= UINT64_MAX - header.sh_addr)
			sections_.push_back({elf_ndxscn(scn), header.sh_addr, header.sh_addr + header.sh_size,
					     known->data()});
	}
	std::sort(sections_.begin(), sections_.end(),
		  [](const Section &a, const Section &b) { return a.low < b.low; });
}

void Plt::add_slots(std::vector<Slot> &slots, Elf_Scn *scn, uint64_t &budget) const
{
	GElf_Shdr header;
	GElf_Rela relocation;

	if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC))
		return;

	Elf_Data *data = elf_getdata(scn, nullptr);

	for (int i = 0; budget && gelf_getrela(data, i, &relocation); i++, budget--) {
		if (is_of_function(GELF_R_TYPE(relocation.r_info)))
			slots.push_back({relocation.r_offset, GELF_R_TYPE(relocation.r_info),
					 static_cast<uint64_t>(relocation.r_addend),
					 static_cast<uint32_t>(GELF_R_SYM(relocation.r_info)),
					 header.sh_link});
	}
}

std::vector<Plt::Slot> Plt::read_slots() const
{
	uint64_t budget = most_relocations;
	std::vector<Slot> slots;

	for (Elf_Scn *scn = nullptr; (scn = elf_nextscn(elf_, scn));)
		add_slots(slots, scn, budget);
	std::sort(slots.begin(), slots.end(),
		  [](const Slot &a, const Slot &b) { return a.address < b.address; });
	return slots;
}

void Plt::add_stubs(const Section &section, const std::vector<Slot> &slots)
{
	const std::string_view text =
		content_of(elf_getscn(elf_, section.number)).substr(0, section.high - section.low);
	uint64_t last = section.low;
	const Slot *last_slot = nullptr;

	for (size_t at = text.find(jump); at != text.npos && at + jump_size <= text.size();) {
		const uint64_t address = slot_of(text, at, section.low);
		const auto slot =
			std::lower_bound(slots.begin(), slots.end(), address,
					 [](const Slot &one, uint64_t value) { return one.address < value; });
		const bool found = slot != slots.end() && slot->address == address;

		if (found) {
			const uint64_t start = section.low + start_of(text, at);

			end_stub(last, start, section, last_slot);
			last = start;
			last_slot = &*slot;
		}
		at = text.find(jump, at + (found ? jump_size : 1));
	}
	end_stub(last, section.high, section, last_slot);
}

/** Add an entry for the stub that begins at @p low, if any, and one for the rest up to @p high. */
void Plt::end_stub(uint64_t low, uint64_t high, const Section &section, const Slot *slot)
{
	const uint64_t end = slot ? std::min(high, low + most_stub) : low;

	if (low < end)
		stubs_.push_back({{low, end, nullptr, true}, *slot});
	if (end < high)
		stubs_.push_back({{end, high, section.name, true}, {}});
}

void Plt::read()
{
	const std::vector<Slot> slots = read_slots();

	for (const Section &section : sections_)
		add_stubs(section, slots);
	/* In a hostile file, sections may overlap. */
	std::sort(stubs_.begin(), stubs_.end(),
		  [](const Stub &a, const Stub &b) { return a.entry.start < b.entry.start; });
}

/** The name of the function whose address a slot gets; if it has none, objdump's text for it. */
std::string Plt::name_of(const Slot &slot, const SymbolTable &symbols) const
{
	Elf_Scn *table = elf_getscn(elf_, slot.table);
	const char *name = nullptr;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (slot.type == R_X86_64_IRELATIVE) {
		const std::optional<SymbolTable::Entry> resolver = symbols.find(slot.addend);

		return resolver && resolver->start == slot.addend ? resolver->name
								  : fmt::format("*ABS*+{:#x}", slot.addend);
	}
	if (table && gelf_getshdr(table, &header) && header.sh_type == SHT_DYNSYM &&
	    gelf_getsym(elf_getdata(table, nullptr), static_cast<int>(slot.symbol), &symbol))
		name = elf_strptr(elf_, header.sh_link, symbol.st_name);
	return name && *name ? name : fmt::format("*ABS*+{:#x}", slot.addend);
}

std::optional<SymbolTable::Entry> Plt::find(uint64_t address, const SymbolTable &symbols)
{
	if (std::none_of(sections_.begin(), sections_.end(), [&](const Section &section) {
		    return address >= section.low && address < section.high;
	    }))
		return std::nullopt;
	if (!std::exchange(read_, true))
		read();

	const auto above =
		std::upper_bound(stubs_.begin(), stubs_.end(), address,
				 [](uint64_t value, const Stub &one) { return value < one.entry.start; });

	if (above == stubs_.begin() || address >= std::prev(above)->entry.end)
		return std::nullopt;

	Stub &stub = *std::prev(above);

	if (!stub.entry.name)
		stub.entry.name = names_.emplace_back(name_of(stub.slot, symbols) + "@plt").c_str();
	return stub.entry;
}

} // namespace cli
