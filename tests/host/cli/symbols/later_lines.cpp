// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/later_lines.h"

#include "cli/profile/about.h"
#include "cli/profile/merge.h"
#include "cli/profile/pprof.h"
#include "cli/symbols/build_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <set>
#include <tuple>

using namespace cli;
using cli_test::map_object;
using support::TemporaryDirectory;

namespace {

constexpr size_t few = 4096;

/** The shown parts of a frame: function, file, line, and the line where the function begins. */
using Shown = std::tuple<std::string, std::string, int64_t, int64_t>;

std::vector<std::vector<Shown>> frames_of(const Profile &profile)
{
	std::vector<std::vector<Shown>> all;

	for (const Location &location : profile.locations) {
		all.emplace_back();
		for (const Line &line : location.lines) {
			const Function &function = profile.functions.at(line.function);

			all.back().emplace_back(function.name, function.filename, line.line,
						function.start_line);
		}
	}
	return all;
}

/** This program, sampled at many places in its text. */
class ManyPlaces {
public:
	explicit ManyPlaces(const std::string &path, size_t places = few + 1) : object_(map_object(path))
	{
		const std::vector<TextSegment> texts = object_->texts.all();
		const TextSegment text = *std::max_element(texts.begin(), texts.end(),
							   [](const TextSegment &a, const TextSegment &b) {
								   return a.high - a.low < b.high - b.low;
							   });
		const uint64_t step = (text.high - text.low) / places;

		REQUIRE(step > 0);
		for (size_t i = 0; i < places; i++)
			tally_.add(object_, {text.low + i * step}, i % 3 + 1);
	}

	/** A profile as record writes it, with comments that name the objects to read later. */
	Profile profile(Lines lines)
	{
		std::vector<std::string> left;
		Profile built = build_profile(tally_, {}, object_.get(), 1000, warnings_,
					      lines == Lines::Stored ? nullptr : &left);
		About about;

		about.version = "1";
		about.lines_later = left;
		built.comments = to_comments(about);
		CHECK(warnings_.empty());
		return built;
	}

	Object &object() { return *object_; }

private:
	std::shared_ptr<Object> object_;
	Tally tally_;
	std::vector<std::string> warnings_;
};

std::string this_program()
{
	return std::filesystem::read_symlink("/proc/self/exe").string();
}

/** The outermost function of a location, which is not inlined; empty without a name. */
std::string name_at(const Profile &profile, size_t location)
{
	const std::vector<Line> &lines = profile.locations.at(location).lines;

	return lines.empty() ? "" : profile.functions.at(lines.back().function).name;
}

std::vector<std::string> left_of(const Profile &profile)
{
	return from_comments(profile.comments).lines_later;
}

} // namespace

TEST_CASE("lines that are read later are those that would have been stored", "[cli][lines]")
{
	ManyPlaces places(this_program());
	const Profile stored = places.profile(Lines::Stored);
	Profile later = places.profile(Lines::OfFewPlaces);

	CHECK(left_of(stored).empty());
	CHECK(stored.mappings.at(0).has_line_numbers);
	REQUIRE(left_of(later) == std::vector<std::string>{this_program()});
	CHECK_FALSE(later.mappings.at(0).has_line_numbers);
	CHECK(frames_of(later) != frames_of(stored));
	CHECK(add_lines(later).empty());
	CHECK(frames_of(later) == frames_of(stored));
	CHECK(later.functions.size() == stored.functions.size());
	CHECK(left_of(later).empty());
	CHECK(later.mappings.at(0).has_line_numbers);
	CHECK(later.mappings.at(0).has_filenames);
	CHECK(later.mappings.at(0).has_inline_frames);
	CHECK(from_comments(later.comments).version == "1");
}

TEST_CASE("names that a profile left in its objects are read first, and the lines later", "[cli][lines]")
{
	ManyPlaces places(this_program(), 20 * few);
	const Profile named = places.profile(Lines::OfFewPlaces);
	const Profile stored = places.profile(Lines::Stored);
	Profile bare = named;

	/* As a program that has profiled itself writes it. */
	bare.functions.clear();
	for (Location &location : bare.locations)
		location.lines.clear();
	for (ProfileMapping &mapping : bare.mappings)
		mapping.has_functions = false;
	REQUIRE(frames_of(bare) != frames_of(named));
	CHECK(add_names(bare).empty());
	CHECK(frames_of(bare) == frames_of(named));
	CHECK(bare.mappings.at(0).has_functions);
	CHECK_FALSE(bare.mappings.at(0).has_line_numbers);
	CHECK(left_of(bare) == left_of(named));
	CHECK(add_lines(bare).empty());
	CHECK(frames_of(bare) == frames_of(stored));
	CHECK(left_of(bare).empty());
}

TEST_CASE("names in an object that is gone stay unknown, and a note says so", "[cli][lines]")
{
	ManyPlaces places(this_program());
	Profile bare = places.profile(Lines::OfFewPlaces);

	for (ProfileMapping &mapping : bare.mappings) {
		mapping.has_functions = false;
		mapping.build_id = "0123456789abcdef";
	}
	const std::vector<std::string> notes = texts_of(add_names(bare));
	REQUIRE(notes.size() == 1);
	CHECK(notes.front().find("no names: ") != std::string::npos);
	CHECK(left_of(bare) == std::vector<std::string>{this_program()});
}

TEST_CASE("a profile has the names of all functions, even where lines were left for later", "[cli][lines]")
{
	ManyPlaces places(this_program(), 20 * few);
	const Profile stored = places.profile(Lines::Stored);
	const Profile left = places.profile(Lines::OfFewPlaces);
	size_t named = 0, wrong = 0, repeated = 0;

	REQUIRE(left_of(left) == std::vector<std::string>{this_program()});
	REQUIRE(left.locations.size() == stored.locations.size());
	for (size_t i = 0; i < stored.locations.size(); i++) {
		named += !name_at(stored, i).empty();
		wrong += name_at(left, i) != name_at(stored, i);
		repeated += i && name_at(stored, i) == name_at(stored, i - 1);
	}
	CHECK(named > 19 * few);
	CHECK(wrong == 0);
	CHECK(repeated > 10 * few);
	CHECK(left.mappings.at(0).has_functions);
	CHECK_FALSE(left.mappings.at(0).has_line_numbers);
}

TEST_CASE("a report by function is the same on a machine without the program", "[cli][lines]")
{
	const TemporaryDirectory directory;
	const std::string copy = directory / "copy";
	const std::string file = directory / "profile";
	const auto report = [&](const std::string &options) {
		return support::run(support::build_dir() + "/profil report " + options + file +
				    " --json 2>&1");
	};

	std::filesystem::copy_file(this_program(), copy);
	std::ofstream(file) << encode_pprof(ManyPlaces(copy, 2 * few).profile(Lines::Stored));
	const support::Output stored = report("");
	CHECK(stored.status == 0);

	std::ofstream(file) << encode_pprof(ManyPlaces(copy, 2 * few).profile(Lines::OfFewPlaces));
	std::filesystem::rename(copy, directory / "moved");
	CHECK(report("").text == stored.text);

	const support::Output lines = report("--sort line ");
	CHECK(lines.status == 0);
	CHECK(lines.text.starts_with("profil report: no lines: " + copy +
				     ": No such file or directory (record with --lines to have the "
				     "lines in the profile)\n"));
}

TEST_CASE("other tools name all functions on a machine without the program", "[cli][lines][export]")
{
	const TemporaryDirectory directory;
	const std::string copy = directory / "copy";
	const std::string file = directory / "profile.pb.gz";
	std::set<std::string> functions;

	std::filesystem::copy_file(this_program(), copy);
	const Profile profile = ManyPlaces(copy, 2 * few).profile(Lines::OfFewPlaces);
	std::filesystem::remove(copy);
	std::ofstream(file) << encode_pprof(profile);
	for (size_t i = 0; i < profile.locations.size(); i++)
		functions.insert(name_at(profile, i));
	REQUIRE(functions.size() > few / 4);

	const auto lacking = [&](const std::string &command) {
		const support::Output output = support::run(command + " 2>&1");
		size_t missing = 0;

		INFO(output.text.substr(0, 1000));
		CHECK(output.status == 0);
		CHECK(output.text.find("failed") == output.text.npos);
		for (const std::string &name : functions) {
			/* JSON escapes the quotes of operator"". */
			const std::string escaped = nlohmann::json(name).dump();

			missing += output.text.find(name) == output.text.npos &&
				   output.text.find(escaped) == output.text.npos;
		}
		return missing;
	};

	CHECK(lacking("HOME=" + (directory / "") + " PPROF_TMPDIR=" + (directory / "") +
		      " go tool pprof -top -nodecount=1000000 -nodefraction=0 " + file) == 0);
	for (const char *format : {"speedscope", "firefox", "folded"}) {
		CAPTURE(format);
		CHECK(lacking(support::build_dir() + "/profil export -v --format " + format + " " + file) ==
		      0);
	}
}

TEST_CASE("a profile says whose lines were left for later, and so does a sum of profiles", "[cli][lines]")
{
	ManyPlaces places(this_program());
	const Profile left = places.profile(Lines::OfFewPlaces);
	const Result<Profile> read = decode_pprof(encode_pprof(left));

	REQUIRE(read);
	CHECK(left_of(*read) == std::vector<std::string>{this_program()});

	const Result<Profile> sum = merge({{*read, *read, places.profile(Lines::Stored)}});

	REQUIRE(sum);
	CHECK(left_of(*sum) == std::vector<std::string>{this_program()});
}

TEST_CASE("lines are stored if the places are few or the file will not be found again", "[cli][lines]")
{
	const TemporaryDirectory directory;
	/* This program may itself be large: its size depends on how it was compiled. */
	const std::string small = support::build_dir() + "/libprofil.so.1";
	const std::string copy = directory / "copy";

	std::filesystem::copy_file(small, copy);

	ManyPlaces places(copy);

	CHECK(left_of(ManyPlaces(copy, few).profile(Lines::OfFewPlaces)).empty());
	const Weight many = {few + 1, 1000, 1000};
	CHECK(leave_for_later(places.object(), many));
	CHECK_FALSE(leave_for_later(places.object(), {few, 1000, 1000}));
	/* With one in a hundred samples, the lines are read at once. */
	CHECK_FALSE(leave_for_later(places.object(), {1, 10, 1000}));
	CHECK(leave_for_later(places.object(), {1, 9, 1000}));
	/* The debug information of Debian's programs is in another package. */
	CHECK(leave_for_later(*map_object("/bin/true"), {few, 1000, 1000}));

	const std::string large = directory / "large";

	std::filesystem::copy_file(small, large);
	std::filesystem::resize_file(large, large_file);
	CHECK_FALSE(leave_for_later(*map_object(large), {few, 1000, 1000}));
	std::filesystem::resize_file(large, large_file + 1);
	CHECK(leave_for_later(*map_object(large), {few, 1000, 1000}));

	places.object().deleted = true;
	CHECK_FALSE(leave_for_later(places.object(), many));
	places.object().deleted = false;
	places.object().source = Source::Vdso;
	CHECK_FALSE(leave_for_later(places.object(), many));
	places.object().source = Source::File;
	std::swap(places.object().build_id, places.object().name);
	CHECK_FALSE(leave_for_later(places.object(), many));
	std::swap(places.object().build_id, places.object().name);
	CHECK(leave_for_later(places.object(), many));

	/* The path now leads to another file, as a container's path may do here. */
	std::filesystem::rename(copy, directory / "moved");
	CHECK_FALSE(leave_for_later(places.object(), many));
	std::filesystem::copy_file("/bin/true", copy);
	CHECK_FALSE(leave_for_later(places.object(), many));
	/*
	 * A file of the same build is accepted: on overlayfs the path's file is not the one that is
	 * mapped.
	 */
	std::filesystem::copy_file(small, copy, std::filesystem::copy_options::overwrite_existing);
	CHECK(leave_for_later(places.object(), many));
}

TEST_CASE("without the recorded file there are functions and a reason", "[cli][lines]")
{
	const TemporaryDirectory directory;
	const std::string copy = directory / "copy";

	std::filesystem::copy_file(this_program(), copy);

	Profile profile = ManyPlaces(copy).profile(Lines::OfFewPlaces);
	const auto before = frames_of(profile);
	const auto check_unchanged = [&](const std::string &why) {
		const std::vector<std::string> notes = texts_of(add_lines(profile));

		REQUIRE(notes.size() == 1);
		CHECK(notes[0].starts_with("no lines: " + copy + why));
		CHECK(notes[0].ends_with("(record with --lines to have the lines in the profile)"));
		CHECK(frames_of(profile) == before);
		CHECK(left_of(profile) == std::vector<std::string>{copy});
	};

	std::filesystem::rename(copy, directory / "moved");
	check_unchanged(": No such file or directory");
	std::filesystem::copy_file("/bin/true", copy);
	check_unchanged(" is not the recorded file: its build-id is ");

	/* The file exists below another root. */
	std::filesystem::create_directories(directory / "root" +
					    std::filesystem::path(copy).parent_path().string());
	std::filesystem::rename(directory / "moved", directory / "root" + copy);
	CHECK(add_lines(profile, directory / "root").empty());
	CHECK(frames_of(profile) != before);
}

TEST_CASE("report, annotate, export and top read lines that were left for later", "[cli][lines]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "left.pb.gz";
	Profile profile = ManyPlaces(this_program()).profile(Lines::OfFewPlaces);
	const std::string source = "basic_string.h"; /* much of it is inlined everywhere */

	std::ofstream(file, std::ios::binary) << encode_pprof(profile);
	const auto text = [&](const std::string &arguments) {
		const support::Output output = support::run(support::build_dir() + "/profil " + arguments);

		INFO(arguments << "\n" << output.text.substr(0, 1000));
		REQUIRE(output.status == 0);
		return output.text;
	};
	const auto has_source = [&](const std::string &arguments) {
		return text(arguments).find(source) != std::string::npos;
	};

	CHECK_FALSE(has_source("report --json --sort object " + file));
	CHECK(has_source("report --json --sort line " + file));
	CHECK(has_source("report --json --filter file=" + source + " --sort line " + file));
	CHECK(has_source("report --html - --no-source " + file));
	CHECK(has_source("export --format callgrind " + file));
	CHECK(has_source("top --batch --iterations 1 --sort line --input " + file));
	CHECK(has_source("annotate --source-only --full-paths --limit 50 --input " + file));
}
