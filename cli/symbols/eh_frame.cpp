// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/eh_frame.h"

#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <gelf.h>
#include <utility>

namespace cli {
namespace {

/* .eh_frame_hdr of the Linux Standard Base, in the only form that linkers write. */
struct TableHeader {
	uint8_t version;
	uint8_t frame_encoding;
	uint8_t count_encoding;
	uint8_t table_encoding;
	int32_t frame;
	uint32_t count;
};
struct TableEntry {
	int32_t start; /* offset from the address of the header */
	int32_t entry;
};

std::optional<GElf_Phdr> find_table(Elf *elf)
{
	size_t headers = 0;

	if (elf_getphdrnum(elf, &headers))
		return std::nullopt;
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == PT_GNU_EH_FRAME)
			return header;
	}
	return std::nullopt;
}

bool is_understood(const TableHeader &header)
{
	const uint8_t size = header.frame_encoding & 0x0F;

	return header.version == 1 && (size == DW_EH_PE_sdata4 || size == DW_EH_PE_udata4) &&
	       header.count_encoding == DW_EH_PE_udata4 &&
	       header.table_encoding == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

} // namespace

void FunctionStarts::read(Elf *elf)
{
	const std::optional<GElf_Phdr> place = find_table(elf);
	const Elf_Data *data = place ? elf_getdata_rawchunk(elf, static_cast<int64_t>(place->p_offset),
							    place->p_filesz, ELF_T_BYTE)
				     : nullptr;
	TableHeader header;

	if (!data || !data->d_buf || data->d_size < sizeof(header))
		return;
	std::memcpy(&header, data->d_buf, sizeof(header));
	if (!is_understood(header))
		return;

	const auto *entries = static_cast<const char *>(data->d_buf) + sizeof(header);
	const size_t count =
		std::min<size_t>(header.count, (data->d_size - sizeof(header)) / sizeof(TableEntry));

	starts_.reserve(count);
	for (size_t i = 0; i < count; i++) {
		TableEntry entry;

		std::memcpy(&entry, entries + i * sizeof(entry), sizeof(entry));
		starts_.push_back(place->p_vaddr + static_cast<uint64_t>(int64_t{entry.start}));
	}
	/* The linker sorts the table, but the file may have been modified. */
	if (!std::is_sorted(starts_.begin(), starts_.end()))
		std::sort(starts_.begin(), starts_.end());
}

const std::vector<uint64_t> &FunctionStarts::starts()
{
	if (Elf *elf = std::exchange(unread_, nullptr))
		read(elf);
	return starts_;
}

bool FunctionStarts::empty()
{
	return starts().empty();
}

std::vector<uint64_t>::const_iterator FunctionStarts::above(uint64_t address)
{
	return std::upper_bound(starts().begin(), starts().end(), address);
}

std::optional<uint64_t> FunctionStarts::find(uint64_t address)
{
	const auto next = above(address);

	return next == starts_.begin() ? std::nullopt : std::optional(*std::prev(next));
}

std::optional<uint64_t> FunctionStarts::next(uint64_t address)
{
	const auto next = above(address);

	return next == starts_.end() ? std::nullopt : std::optional(*next);
}

} // namespace cli
