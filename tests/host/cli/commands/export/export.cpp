// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/export/export.cpp  The subcommand export: its output files and its messages.
 */
#include "cli/profile/pprof.h"
#include "cli/profile/short_names.h"
#include "tests/host/cli/commands/export/support.h"
#include "tests/support/json.h"

#include <algorithm>
#include <filesystem>

using namespace export_test;

namespace {

Output profil(const std::string &arguments)
{
	return run(support::build_dir() + "/profil export " + arguments);
}

std::string sample_file(const TemporaryDirectory &directory)
{
	return file(directory, "sample.pb.gz", encode_pprof(sample_profile()));
}

std::string content_of(const std::string &path)
{
	std::ifstream in(path, std::ios::binary);

	return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("export writes text to standard output, or to a file", "[cli][export]")
{
	const TemporaryDirectory directory;
	const std::string sample = sample_file(directory);

	for (const ExportFormat &format : export_formats()) {
		if (format.binary)
			continue;

		const std::string name(format.name);
		Profile profile = sample_profile();

		shorten_names(profile);

		const std::string wanted = *format.write(profile);

		CAPTURE(name);
		CHECK(profil("--format " + name + " " + sample).text == wanted);
		CHECK(profil("--format " + name + " - <" + sample).text == wanted);
		CHECK(profil("--full-names --format " + name + " " + sample).text ==
		      *format.write(sample_profile()));
		CHECK(profil("--format " + name + " -o - " + sample).text == wanted);
		CHECK(profil("--format " + name + " -o " + (directory / name) + " " + sample).text.empty());
		CHECK(content_of(directory / name) == wanted);
	}
}

TEST_CASE("export to pprof writes what was read", "[cli][export]")
{
	const TemporaryDirectory directory;

	output_of(support::build_dir() + "/profil export --format pprof " + sample_file(directory) + " >" +
		  (directory / "out.pb.gz"));
	CHECK(content_of(directory / "out.pb.gz") == encode_pprof(sample_profile()));
}

TEST_CASE("export to gmon writes a file for each object, and says which", "[cli][export]")
{
	const TemporaryDirectory directory;
	const std::string sample = sample_file(directory);
	const Output output = profil("--format gmon -o " + (directory / "") + " " + sample);

	CHECK(output.status == 0);
	CHECK(has(output.text, "/gmon.out: 700 samples of /opt/bin/program\n"));
	CHECK(has(output.text, "/gmon.out.libc.so.6: 260 samples of /usr/lib/libc.so.6\n"));
	CHECK(has(output.text, "profil export: 40 samples outside all objects, not written to any file\n"));
	CHECK(support::read_gmon(directory / "gmon.out").all_ticks() == 700);
	CHECK(support::read_gmon(directory / "gmon.out.libc.so.6").all_ticks() == 260);

	CHECK(profil("--format gmon -o " + (directory / "prefix") + " " + sample).status == 0);
	CHECK(support::read_gmon(directory / "prefix.libc.so.6").all_ticks() == 260);
	CHECK(run("cd " + (directory / "") + " && rm gmon.out* && " +
		  (std::filesystem::absolute(support::build_dir()) / "profil").string() +
		  " export --format gmon sample.pb.gz")
		      .status == 0);
	CHECK(std::filesystem::exists(directory / "gmon.out"));
}

TEST_CASE("a profile without samples is exported to every format", "[cli][export]")
{
	for (const ExportFormat &format : export_formats()) {
		CAPTURE(format.name);
		if (format.write)
			CHECK(format.write(Profile()));
	}
	CHECK(export_gmon(Profile())->files.empty());
	CHECK(export_folded(Profile())->empty());
	CHECK(support::parse_json(*export_firefox(Profile()))["threads"].empty());
	CHECK(has(*export_callgrind(Profile()), "summary: 0\n"));
}

TEST_CASE("sums of counts that do not fit saturate", "[cli][export]")
{
	Profile profile = sample_profile();

	for (Sample &sample : profile.samples)
		sample.values[0] = INT64_MAX;
	CHECK(has(*export_callgrind(profile), "summary: 18446744073709551615\n"));
	profile.samples[1].locations = profile.samples[2].locations = profile.samples[0].locations;
	for (Sample &sample : profile.samples)
		sample.labels = {};
	CHECK(has(*export_folded(profile), "program;main;work(int) 18446744073709551615\n"));
}

TEST_CASE("export lists its formats, and in the help which tools open them", "[cli][export]")
{
	const std::string list = profil("--list").text;

	CHECK(std::count(list.begin(), list.end(), '\n') == 10);
	CHECK(has(list, "  folded        flamegraph.pl, "));
	CHECK(has(profil("--help").text, list));
	CHECK(profil("--help").text == run(support::build_dir() + "/profil help export").text);
}

TEST_CASE("wrong usage of export is one line and status 2", "[cli][export]")
{
	const std::pair<const char *, const char *> all[] = {
		{"", "profil export: --format is missing: callgrind, csv, firefox, folded, gmon, otlp, "
		     "perf-script, "
		     "pprof or speedscope (see profil export --help)\n"},
		{"--format html", "--format: 'html' is not callgrind, csv,"},
		{"--format gmon -o -", "gmon writes several files"},
		{"--format csv a b", "unexpected argument: b"},
	};

	for (const auto &[arguments, words] : all) {
		const Output output = profil(arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 2);
		CHECK(has(output.text, words));
		CHECK(std::count(output.text.begin(), output.text.end(), '\n') == 1);
	}
}

TEST_CASE("a file that cannot be read or written is one line and status 1", "[cli][export]")
{
	const TemporaryDirectory directory;
	const std::string sample = sample_file(directory);
	const std::pair<std::string, std::string> all[] = {
		{"--format csv " + (directory / "missing"), (directory / "missing") + ": No such file"},
		{"--format csv -o /no/such/file " + sample,
		 "/no/such/file: No such file or directory (choose"},
		{"--format gmon -o /no/such/file " + sample,
		 "/no/such/file: No such file or directory (choose"},
		{"--format csv " + sample + " 2>&1 >/dev/full", "standard output: No space left"},
	};

	for (const auto &[arguments, words] : all) {
		const Output output = profil(arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 1);
		CHECK(has(output.text, "profil export: " + words));
		CHECK(std::count(output.text.begin(), output.text.end(), '\n') == 1);
	}
}
