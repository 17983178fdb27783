// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/text_table.h"

#include "cli/base/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace cli {
namespace {

constexpr uint64_t page = 4096;
constexpr std::string_view deleted_mark = " (deleted)";
constexpr const char *refused = "is in a file system that a user has mounted";

uint64_t page_of(uint64_t address)
{
	return address & ~(page - 1);
}

bool on_overlay(const Fd &file)
{
	struct statfs about = {};

	return !fstatfs(file.get(), &about) && about.f_type == OVERLAYFS_SUPER_MAGIC;
}

/** The reason why a file is not the one that ran; empty if no difference was found. */
std::string difference(const Fd &opened, const struct stat &file, const FileFacts &ran)
{
	constexpr uint64_t ns_per_second = 1'000'000'000;
	const uint64_t modified = static_cast<uint64_t>(file.st_mtim.tv_sec) * ns_per_second +
				  static_cast<uint64_t>(file.st_mtim.tv_nsec);

	if (!S_ISREG(file.st_mode))
		return "is not a regular file any more";
	if (static_cast<uint64_t>(file.st_size) != ran.bytes)
		return fmt::format("is not the file that ran: {} bytes rather than {}", file.st_size,
				   ran.bytes);
	if (modified != ran.modified)
		return "is not the file that ran: it was modified at another time";
	/* On overlayfs, a file keeps its inode number in stat(2) when it is copied to the upper layer. */
	if (file.st_ino != ran.inode && !on_overlay(opened))
		return fmt::format("is not the file that ran: inode {} rather than {}", file.st_ino,
				   ran.inode);
	return "";
}

/** Open the file at an object's path, if it is the one that ran: another may have replaced it. */
void open_same(Object &object, const FileFacts &ran)
{
	Fd file = open_regular(object.name);
	struct stat about = {};

	if (!file || fstat(file.get(), &about))
		object.no_file = fmt::format("cannot be opened ({})", std::strerror(errno));
	else
		object.no_file = difference(file, about, ran);
	if (object.no_file.empty())
		object.file = std::move(file);
}

} // namespace

/** Open a file through the module, if possible: it may be deleted, or in a container. */
void TextTable::open_file(const profil_describe &text, Object &object)
{
	profil_describe request = {};

	request.size = sizeof(request);
	request.profile = profile_;
	request.number = text.number;
	request.flags = PROFIL_DESCRIBE_OPEN;
	if (!profil_session_describe(session_.get(), &request))
		object.file = Fd(request.fd);
	else if (errno == EPERM)
		object.no_file = refused;
	else
		open_same(object, {text.inode, text.bytes, text.modified});
}

/**
 * Try once more to open a file that could not be opened when it was first seen, before its first
 * samples are counted.  Later would be too late: the samples' addresses depend on the file's
 * segments.
 */
void TextTable::open_again(Number &text)
{
	Object &object = *text.object;

	if (text.kind != PROFIL_KIND_FILE || object.file || object.deleted || object.texts.size() ||
	    object.no_file == refused)
		return;
	open_same(object, text.facts);
	if (object.file) {
		inspect_elf(object);
		add_segments_as_text(object);
	}
}

std::shared_ptr<Object> TextTable::file_object(profil_describe &text, const std::string &path)
{
	auto object = std::make_shared<Object>();

	object->name = path;
	object->deleted = path.ends_with(deleted_mark);
	if (object->deleted)
		object->name.resize(path.size() - deleted_mark.size());
	open_file(text, *object);
	if (object->file) {
		inspect_elf(*object);
		add_segments_as_text(*object);
	}
	return object;
}

/** Add the page of an address to the texts of a file whose segments are not known. */
void TextTable::remember_page(Object &object, uint64_t address)
{
	object.texts.add({page_of(address), page_of(address) + page, page_of(address)}, true);
}

/** A vDSO of the same size as ours is taken for ours.  Nothing is known about other vDSOs. */
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
		/* A compiler maps its jitdump so that profilers find it. */
		if (mapping.source == Source::Anonymous || is_jitdump(mapping.name))
			code.objects[mapping.name] = objects_.find(code.pid, mapping);
	}
}

void TextTable::look_at_ended()
{
	for (auto &[key, number] : numbers_) {
		if (!number.code || number.code->ended || !cli::has_ended(number.code->pid))
			continue;
		look_at(*number.code);
		number.code->ended = true;
	}
}

bool TextTable::has_code() const
{
	return std::any_of(numbers_.begin(), numbers_.end(), [](const auto &one) {
		const auto &[key, number] = one;

		return number.code && number.code->pid && !cli::has_ended(number.code->pid);
	});
}

void TextTable::look()
{
	for (auto &[key, number] : numbers_) {
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

} // namespace cli
