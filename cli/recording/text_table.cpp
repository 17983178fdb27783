// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/text_table.h"

#include "cli/base/characters.h"
#include "cli/profile/location.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

namespace cli {
namespace {

constexpr uint64_t page = 4096;
constexpr std::string_view deleted_mark = " (deleted)";

uint64_t page_of(uint64_t address)
{
	return address & ~(page - 1);
}

/**
 * The file at a path, if it is the text's: another one may have replaced it.  Some file
 * systems report another device to stat(2), so those are not compared.
 */
Fd open_same(const std::string &path, const profil_describe &text)
{
	Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	struct stat about;

	if (!file || fstat(file.get(), &about) || !S_ISREG(about.st_mode) || about.st_ino != text.inode ||
	    static_cast<uint64_t>(about.st_size) != text.bytes)
		return Fd();
	return file;
}

/** Its executable segments, as they are mapped. */
void remember_segments(Object &object)
{
	for (const Segment &segment : object.segments) {
		const uint64_t low = page_of(segment.address);
		const uint64_t high = page_of(segment.address + segment.size + page - 1);

		object.texts.add({low, high, page_of(segment.offset)}, true);
	}
}

} // namespace

std::string owner_name(std::string_view command, std::string_view path)
{
	if (!command.empty())
		return std::string(command);
	return std::string(path.empty() ? unknown_name : base_name(path));
}

/** Prefer the module's own way: it works for files that were deleted, or are in a container. */
Fd TextTable::open_file(profil_describe &text, const std::string &path)
{
	profil_describe request = {};

	request.size = sizeof(request);
	request.profile = profile_;
	request.number = text.number;
	request.flags = PROFIL_DESCRIBE_OPEN;
	if (!profil_session_describe(session_.get(), &request))
		return Fd(request.fd);
	return open_same(path, text);
}

std::shared_ptr<Object> TextTable::file_object(profil_describe &text, const std::string &path)
{
	auto object = std::make_shared<Object>();

	object->name = path;
	object->deleted = path.ends_with(deleted_mark);
	if (object->deleted)
		object->name.resize(path.size() - deleted_mark.size());
	object->file = open_file(text, object->name);
	if (object->file) {
		inspect_elf(*object);
		remember_segments(*object);
	}
	return object;
}

/** A vDSO of the same size as ours is ours; of others nothing is known. */
std::shared_ptr<Object> TextTable::vdso_object(uint64_t bytes)
{
	const Result<std::vector<Mapping>> own = read_maps(getpid());
	std::shared_ptr<Object> object;

	if (own) {
		for (const Mapping &mapping : *own) {
			if (mapping.source == Source::Vdso && mapping.size() == bytes)
				object = objects_.find(getpid(), mapping);
		}
	}
	if (!object) {
		object = std::make_shared<Object>();
		object->name = "[vdso]";
		object->source = Source::Vdso;
	}
	object->texts.add({object->link_address(0), object->link_address(0) + bytes, 0}, true);
	return object;
}

TextTable::Number TextTable::describe(uint32_t number)
{
	std::array<char, PATH_MAX> path;
	profil_describe about = {};
	Number known;

	about.size = sizeof(about);
	about.profile = profile_;
	about.number = number;
	about.path = reinterpret_cast<uintptr_t>(path.data());
	about.path_size = path.size();
	if (profil_session_describe(session_.get(), &about))
		return known;
	known.kind = about.kind;
	known.text = about.text;
	known.owner = about.owner;
	if (about.kind == PROFIL_KIND_FILE) {
		known.object = file_object(about, about.path_size ? path.data() : "[file]");
		/* Nobody else's umount(2) is to fail because of us for longer than needed. */
		about.flags = PROFIL_DESCRIBE_RELEASE;
		about.path = about.path_size = 0;
		profil_session_describe(session_.get(), &about);
	} else if (about.kind == PROFIL_KIND_VDSO) {
		known.object = vdso_object(about.bytes);
	} else if (about.kind == PROFIL_KIND_MEMORY) {
		known.code = std::make_unique<Code>();
		known.code->pid = about.pid;
		known.code->base = about.base;
		known.code->start = program_start(about.pid);
		look_at(*known.code);
	} else if (about.kind == PROFIL_KIND_OWNER) {
		known.program = program_of(about);
	}
	return known;
}

/** The file of an owner has a lower number than the owner, so it is described already. */
uint32_t TextTable::program_of(const profil_describe &owner)
{
	const std::string_view command(owner.name, strnlen(owner.name, sizeof(owner.name)));
	const bool known = owner.text < numbers_.size() && numbers_[owner.text].object;

	return owners_.number(owner.pid, owner_name(command, known ? numbers_[owner.text].object->name : ""));
}

uint32_t TextTable::program_of_cell(const Number &cell) const
{
	return cell.owner < numbers_.size() ? numbers_[cell.owner].program : 0;
}

void TextTable::learn()
{
	profil_describe about = {};

	about.size = sizeof(about);
	about.profile = profile_;
	if (!profile_ || profil_session_describe(session_.get(), &about))
		return;
	while (numbers_.size() <= about.numbers)
		numbers_.push_back(describe(static_cast<uint32_t>(numbers_.size())));
}

void TextTable::look_at(Code &code)
{
	if (!code.start || program_start(code.pid) != code.start) {
		/* A process may name its code when it ends. */
		for (const auto &[name, object] : code.objects) {
			if (object->jit)
				object->jit->look();
		}
		return;
	}

	Result<std::vector<Mapping>> mappings = read_maps(code.pid);

	if (!mappings || mappings->empty())
		return;
	code.mappings = *std::move(mappings);
	for (const Mapping &mapping : code.mappings) {
		/* A compiler maps its jitdump so that it is found. */
		if (mapping.source == Source::Anonymous || is_jitdump(mapping.name))
			code.objects[mapping.name] = objects_.find(code.pid, mapping);
	}
}

void TextTable::look_at_ended(const std::set<pid_t> &pids)
{
	for (Number &number : numbers_) {
		if (number.code && pids.contains(number.code->pid))
			look_at(*number.code);
	}
}

void TextTable::look()
{
	for (Number &number : numbers_) {
		if (number.code)
			look_at(*number.code);
	}
}

const std::shared_ptr<Object> &TextTable::object_at(Code &code, uint64_t address)
{
	const auto holds = [&](const Mapping &mapping) {
		return mapping.source == Source::Anonymous && address >= mapping.start &&
		       address < mapping.end;
	};
	const auto place = std::find_if(code.mappings.begin(), code.mappings.end(), holds);
	Mapping mapping;

	if (place != code.mappings.end()) {
		mapping = *place;
	} else {
		mapping.start = page_of(address);
		mapping.end = mapping.start + page;
		mapping.name = "[anon]";
		mapping.source = Source::Anonymous;
	}

	std::shared_ptr<Object> &object = code.objects[mapping.name];

	if (!object)
		object = objects_.find(code.pid, mapping);
	object->texts.add({mapping.start, mapping.end, 0}, false);
	return object;
}

void TextTable::count(uint64_t key, uint64_t samples, Tally &tally)
{
	const uint64_t cell = key >> PROFIL_COUNT_SHIFT;
	const uint64_t offset = key & ((uint64_t{1} << PROFIL_COUNT_SHIFT) - 1);

	/* Its number may be newer than the last look. */
	if (cell >= numbers_.size())
		learn();
	if (cell >= numbers_.size() || numbers_[cell].text >= numbers_.size()) {
		tally.add_unknown({0, 0, owners_.number(0, owner_name({}, {}))}, samples);
		return;
	}

	Number &text = numbers_[numbers_[cell].text];
	const uint32_t program = program_of_cell(numbers_[cell]);

	if (text.kind == PROFIL_KIND_KERNEL)
		return;
	if (text.code) {
		const uint64_t address = text.code->base + offset;

		tally.add(object_at(*text.code, address), {address, 0, program}, samples);
	} else if (text.object) {
		const uint64_t address = text.object->link_address(offset);

		if (text.object->segments.empty())
			text.object->texts.add({page_of(address), page_of(address) + page, page_of(address)},
					       true);
		tally.add(text.object, {address, 0, program}, samples);
	} else {
		tally.add_unknown({0, 0, program}, samples);
	}
}

std::shared_ptr<Object> TextTable::busiest_program(const Tally &tally) const
{
	std::shared_ptr<Object> busiest;
	uint64_t most = 0;

	for (const Number &owner : numbers_) {
		if (owner.kind != PROFIL_KIND_OWNER || owner.text >= numbers_.size())
			continue;

		const std::shared_ptr<Object> &program = numbers_[owner.text].object;
		const uint64_t samples = program ? tally.total_of(program) : 0;

		if (program && (!busiest || samples > most)) {
			busiest = program;
			most = samples;
		}
	}
	return busiest;
}

} // namespace cli
