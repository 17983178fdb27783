// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/later_lines.h"

#include "cli/base/numbers.h"
#include "cli/objects/kernel_image.h"
#include "cli/objects/kernel_objects.h"
#include "cli/profile/about.h"
#include "cli/profile/location.h"
#include "cli/symbols/debug_file.h"
#include "cli/symbols/debug_link.h"
#include "cli/symbols/function_table.h"
#include "cli/symbols/mapping.h"
#include "cli/symbols/recorded_file.h"
#include "cli/symbols/symbols.h"

#include <map>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <utility>

namespace cli {
namespace {

/* If an object has less than 1 / rare of all samples, reading its debug information is not worth it. */
constexpr uint64_t rare = 100;

constexpr char next_step[] = "record with --lines to have the lines in the profile";

/**
 * True if the object's path still leads to the same file, and not only inside a container.  On
 * overlayfs, the mapped file is in a layer, and stat(2) distinguishes it from the file at the path,
 * so the build-id decides.
 */
bool has_its_path(const Object &object)
{
	struct stat named;
	struct stat held;

	if (stat(object.name.c_str(), &named) || fstat(object.file.get(), &held))
		return false;
	return (named.st_dev == held.st_dev && named.st_ino == held.st_ino) ||
	       build_id_of(object.name) == object.build_id;
}

bool is_large(const Object &object)
{
	struct stat about;

	return !fstat(object.file.get(), &about) && about.st_size > large_file;
}

/** The locations of one file. */
using Places = std::vector<size_t>;
using FileKey = std::pair<std::string, std::string>; /* path and build-id */

bool knows(const ProfileMapping &mapping, Detail detail)
{
	return detail == Detail::Lines ? mapping.has_line_numbers : mapping.has_functions;
}

/** The locations whose lines, or names, were left for later, by file. */
std::map<FileKey, Places> places_without(Detail detail, const Profile &profile, const About &about)
{
	const std::set<std::string> left(about.lines_later.begin(), about.lines_later.end());
	std::vector<Places> by_mapping(profile.mappings.size());
	std::map<FileKey, Places> files;

	for (size_t i = 0; i < profile.locations.size(); i++) {
		if (const std::optional<size_t> mapping = profile.locations[i].mapping)
			by_mapping[*mapping].push_back(i);
	}
	for (size_t i = 0; i < by_mapping.size(); i++) {
		const ProfileMapping &mapping = profile.mappings[i];

		if (by_mapping[i].empty() || knows(mapping, detail) || !left.contains(mapping.filename))
			continue;

		Places &places = files[{mapping.filename, mapping.build_id}];

		places.insert(places.end(), by_mapping[i].begin(), by_mapping[i].end());
	}
	return files;
}

class LineReader {
public:
	/** @param places the number of places that may get lines. */
	LineReader(Profile &profile, size_t places) : profile_(profile)
	{
		/* Renumber the functions: some are no longer used once the lines are known. */
		old_functions_ = std::exchange(profile_.functions, {});
		read_.resize(profile_.locations.size());
		/* Reserving too much costs little: unused elements are never touched. */
		functions_.reserve(profile_.functions, old_functions_.size() + places);
	}

	/** @param shift the symbols' addresses minus the locations' addresses. */
	void read(Symbols &symbols, const Places &places, uint64_t shift)
	{
		std::vector<uint64_t> addresses;

		addresses.reserve(places.size());
		for (const size_t place : places)
			addresses.push_back(profile_.locations[place].address + shift);
		for (const size_t index : symbols.unit_by_unit(addresses)) {
			const size_t place = places[index];
			Location &location = profile_.locations[place];
			std::vector<Frame> frames = symbols.frames(location.address + shift);

			mark(profile_.mappings[*location.mapping], symbols, frames.size());
			if (frames.empty())
				continue;
			location.lines = lines_of(std::move(frames));
			read_[place] = true;
		}
	}

	/** Take over the functions of all other locations. */
	void finish()
	{
		for (size_t i = 0; i < profile_.locations.size(); i++) {
			if (read_[i])
				continue;
			for (Line &line : profile_.locations[i].lines)
				line.function = take_over(old_functions_[line.function]);
		}
	}

private:
	std::vector<Line> lines_of(std::vector<Frame> frames)
	{
		std::vector<Line> lines;

		lines.reserve(frames.size());
		for (Frame &frame : frames) {
			const int64_t line = frame.line;

			lines.push_back({functions_.find(profile_.functions, std::move(frame)), line});
		}
		return lines;
	}

	static void mark(ProfileMapping &mapping, Symbols &symbols, size_t frames)
	{
		set_known(mapping, symbols);
		mapping.has_inline_frames |= frames > 1;
	}

	size_t take_over(const Function &function)
	{
		return functions_.find(profile_.functions, {function.name, function.system_name,
							    function.filename, 0, function.start_line});
	}

	Profile &profile_;
	std::vector<Function> old_functions_;
	std::vector<bool> read_; /**< by location */
	FunctionTable functions_;
};

/** Keep only missing objects in lines_later.  Also keep the comments of other tools. */
void keep_comments(Profile &profile, About about, const std::set<std::string> &missing)
{
	std::vector<std::string> comments;

	std::erase_if(about.lines_later, [&](const std::string &path) { return !missing.contains(path); });
	comments = to_comments(about);
	for (std::string &comment : profile.comments) {
		if (!is_about(comment))
			comments.push_back(std::move(comment));
	}
	profile.comments = std::move(comments);
}

std::vector<FileNote> add(Detail detail, Profile &profile, const std::string &root)
{
	About about = from_comments(profile.comments);
	const std::map<FileKey, Places> files = places_without(detail, profile, about);
	std::vector<FileNote> notes;
	std::set<std::string> missing;

	if (files.empty())
		return notes;

	size_t all = 0;

	for (const auto &[file, places] : files)
		all += places.size();

	LineReader reader(profile, all);

	for (const auto &[file, places] : files) {
		const ProfileMapping &mapping = profile.mappings[*profile.locations[places.front()].mapping];
		const Result<RecordedFile> recorded = open_lines(mapping, root, next_step);

		if (!recorded) {
			notes.push_back({mapping.filename,
					 (knows(mapping, Detail::Functions) ? "no lines: " : "no names: ") +
						 recorded.error().text});
			missing.insert(mapping.filename);
			continue;
		}

		Symbols symbols(*recorded->object, detail);

		reader.read(symbols, places, recorded->shift);
	}
	reader.finish();
	if (detail == Detail::Lines)
		keep_comments(profile, std::move(about), missing);
	return notes;
}

} // namespace

std::vector<FileNote> add_lines(Profile &profile, const std::string &root)
{
	return add(Detail::Lines, profile, root);
}

std::vector<FileNote> add_names(Profile &profile, const std::string &root)
{
	return add(Detail::Functions, profile, root);
}

bool may_have_kernel_lines(const std::string &filename, const std::string &build_id)
{
	if (!is_kernel_text(filename) || build_id.empty())
		return false;
	return has_debuginfod_servers() ||
	       !(filename == kernel_name ? find_vmlinux(build_id) : find_debug_file_of(build_id)).empty();
}

bool leave_for_later(const Object &object, const Weight &weight)
{
	/* The kernel's names are known, and reading its lines takes seconds. */
	if (object.source == Source::Kernel)
		return may_have_kernel_lines(object.name, hex(object.build_id));
	if (object.source != Source::File || !object.file || object.deleted || object.build_id.empty() ||
	    !has_its_path(object))
		return false;
	/* Debug information in another file may have to be unpacked or even downloaded. */
	return weight.places > few_places || weight.samples < weight.of / rare || is_large(object) ||
	       has_debug_link(object);
}

std::vector<std::string> texts_of(const std::vector<FileNote> &notes)
{
	std::vector<std::string> texts;

	for (const FileNote &note : notes)
		texts.push_back(note.text);
	return texts;
}

} // namespace cli
