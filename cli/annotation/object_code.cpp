// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/object_code.h"

#include "cli/objects/kernel_image.h"
#include "cli/symbols/recorded_file.h"

#include <algorithm>
#include <unistd.h>

namespace cli {
namespace {

constexpr char next_step[] = "--symfs names a directory with the recorded objects, or record again";

} // namespace

ObjectCode::ObjectCode(std::unique_ptr<Object> object, Disassembler disassembler)
	: object_(std::move(object)), symbols_(std::make_unique<Symbols>(*object_)),
	  disassembler_(std::move(disassembler))
{
}

Result<ObjectCode> ObjectCode::open(const ProfileMapping &mapping, const CodeOptions &options)
{
	Result<RecordedFile> recorded = open_recorded(mapping, options.root, next_step);

	if (!recorded)
		return recorded.error();

	const std::string path = recorded->object->name;
	const std::optional<Machine> machine = machine_of(recorded->object->file.get());

	if (!machine)
		return Error{path + ": not an ELF file for x86-64, i386 or AArch64"};

	Result<Disassembler> disassembler = Disassembler::open(*machine, options.syntax);

	if (!disassembler)
		return disassembler.error();

	ObjectCode code(std::move(recorded->object), *std::move(disassembler));

	code.modified_ = recorded->modified;
	if (mapping.build_id.empty())
		code.doubt_ = path +
			      ": the profile has no build-id for it: if the file has changed since, the "
			      "instructions are wrong";
	return code;
}

const Segment *ObjectCode::segment_at(uint64_t address) const
{
	for (const Segment &segment : object_->segments) {
		if (address >= segment.address && address - segment.address < segment.size)
			return &segment;
	}
	return nullptr;
}

uint64_t ObjectCode::link_address(const ProfileMapping &mapping, uint64_t address) const
{
	/* The kernel is not mapped from a file. */
	if (is_kernel_text(mapping.filename))
		return address;

	const uint64_t offset = address - mapping.start + mapping.offset;
	const uint64_t link = object_->link_address(offset);

	return has_text(link) ? link : address;
}

std::vector<Instruction> ObjectCode::instructions(Extent extent) const
{
	const Segment *segment = segment_at(extent.low);

	if (!segment || extent.high <= extent.low)
		return {};

	const uint64_t into = extent.low - segment->address;
	std::string bytes(std::min({extent.high - extent.low, segment->size - into, most_bytes}), '\0');
	const ssize_t got = pread(object_->file.get(), bytes.data(), bytes.size(),
				  static_cast<off_t>(segment->offset + into));

	bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
	return disassembler_.decode(bytes, extent.low);
}

} // namespace cli
