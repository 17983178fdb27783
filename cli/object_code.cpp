// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/object_code.h"

#include "cli/letter_case.h"
#include "cli/text.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {
namespace {

constexpr char next_step[] =
	"--symfs says where the objects of then are, and a new recording is of those of now";

Outcome check_regular(const std::string &path, const Fd &file, time_t &modified)
{
	struct stat about;

	if (!file || fstat(file.get(), &about))
		return Error{fmt::format("{} ({})", system_error(path).text, next_step)};
	if (!S_ISREG(about.st_mode))
		return Error{path + ": not a regular file"};
	modified = about.st_mtime;
	return Done{};
}

Outcome check_build_id(const std::string &path, const std::string &now, const std::string &recorded)
{
	if (recorded.empty() || now == lower_case(recorded))
		return Done{};
	return Error{
		fmt::format("{} is not the file that was recorded: its build-id is {}, then it was {} ({})",
			    path, now.empty() ? "missing" : now, recorded, next_step)};
}

} // namespace

ObjectCode::ObjectCode(std::unique_ptr<Object> object, Disassembler disassembler)
	: object_(std::move(object)), symbols_(std::make_unique<Symbols>(*object_)),
	  disassembler_(std::move(disassembler))
{
}

Result<ObjectCode> ObjectCode::open(const ProfileMapping &mapping, const CodeOptions &options)
{
	if (!mapping.filename.starts_with('/'))
		return Error{fmt::format("{} is no file whose instructions could be read", mapping.filename)};

	const std::string path = options.root + mapping.filename;
	auto object = std::make_unique<Object>();
	time_t modified = 0;

	object->name = path;
	object->file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	if (const Outcome regular = check_regular(path, object->file, modified); !regular)
		return regular.error();
	inspect_elf(*object);
	if (const Outcome same = check_build_id(path, hex(object->build_id), mapping.build_id); !same)
		return same.error();

	const std::optional<Machine> machine = machine_of(object->file.get());

	if (!machine)
		return Error{path + ": no ELF file for x86-64, i386 or AArch64"};

	Result<Disassembler> disassembler = Disassembler::open(*machine, options.syntax);

	if (!disassembler)
		return disassembler.error();

	ObjectCode code(std::move(object), *std::move(disassembler));

	code.modified_ = modified;
	if (mapping.build_id.empty())
		code.doubt_ = path +
			      ": the profile has no build-id of it: if the file has changed since, the "
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
