// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/perf/objects.h"

#include "cli/base/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace cli {
namespace {

/** Take the file at a path, if @p is_it accepts the file; else set Object::no_file. */
template <typename Test> bool take_file(Object &object, const std::string &path, Test is_it)
{
	Fd file = open_regular(path);
	struct stat about = {};

	if (!file || fstat(file.get(), &about)) {
		object.no_file = fmt::format("cannot be opened ({})", std::strerror(errno));
		return false;
	}

	Object found;

	found.file = std::move(file);
	if (S_ISREG(about.st_mode))
		inspect_elf(found);
	if (!S_ISREG(about.st_mode) || !is_it(found, about)) {
		object.no_file = "is not the file that ran";
		return false;
	}
	object.no_file.clear();
	object.file = std::move(found.file);
	object.segments = std::move(found.segments);
	object.build_id = std::move(found.build_id);
	return true;
}

/** The object of a file that a process has mapped.  Opens the file only if it has that build-id. */
std::shared_ptr<Object> open_file(pid_t pid, const Mapping &mapping, const std::string &build_id)
{
	auto object = std::make_shared<Object>();
	/* Prefer the process's own mapping and root, while it lives: it may be in a container. */
	const std::array paths = {
		fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, mapping.start, mapping.end),
		fmt::format("/proc/{}/root{}", pid, mapping.name), mapping.name};

	object->name = mapping.name;
	object->deleted = mapping.deleted;
	for (const std::string &path : paths) {
		if (take_file(*object, path, [&](const Object &found, const struct stat &) {
			    return found.build_id == build_id;
		    }))
			break;
	}
	/* Reports find the names later, if a file with this build-id is installed. */
	object->build_id = build_id;
	return object;
}

/** Add a mapping to the texts of its object, unless the texts are known already. */
void add_mapping_as_text(Object &object, const Mapping &mapping)
{
	const uint64_t low = object.link_address(mapping.offset);

	if (mapping.source == Source::Anonymous)
		object.texts.add({mapping.start, mapping.end, 0}, false);
	else if (object.segments.empty() || mapping.source == Source::Vdso)
		object.texts.add({low, low + mapping.size(), mapping.offset}, true);
	else if (!object.texts.size())
		add_segments_as_text(object);
}

} // namespace

std::shared_ptr<Object> PerfObjects::find(pid_t pid, const Mapping &mapping, const std::string &build_id)
{
	std::shared_ptr<Object> object;
	const auto known = files_.find({mapping.name, build_id});

	if (mapping.source == Source::File && !build_id.empty() && !is_jitdump(mapping.name)) {
		object = known != files_.end() ? known->second.object : open_file(pid, mapping, build_id);
		files_.try_emplace({mapping.name, build_id}, Known{object, false});
	} else {
		object = table_.find(pid, mapping);
		/*
		 * Try the path, as the process may have ended.  This fails on btrfs, where a
		 * mapping's device is not st_dev.
		 */
		if (mapping.source == Source::File && !object->file && !mapping.deleted)
			take_file(*object, mapping.name, [&](const Object &, const struct stat &about) {
				return about.st_dev == mapping.device && about.st_ino == mapping.inode;
			});
		if (mapping.source == Source::File && !object->build_id.empty())
			object = files_.try_emplace({mapping.name, object->build_id}, Known{object, true})
					 .first->second.object;
	}
	add_mapping_as_text(*object, mapping);
	return object;
}

void PerfObjects::forget_unused()
{
	std::erase_if(files_, [](const auto &entry) {
		const Known &known = entry.second;

		return known.object.use_count() == (known.in_table ? 2 : 1);
	});
	table_.forget_unused();
}

} // namespace cli
