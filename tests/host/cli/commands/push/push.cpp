// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/push/push.cpp  profil push itself, with a server and without. */
#include "cli/base/gzip.h"
#include "cli/http/grpc_web.h"
#include "cli/profile/about.h"
#include "cli/profile/pprof.h"
#include "cli/symbols/build_profile.h"
#include "tests/host/cli/http/receiver.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <filesystem>
#include <fstream>

using http_test::Receiver;
using support::has;
using support::lines;
using support::TemporaryDirectory;

namespace {

support::Output push(const std::string &arguments, const std::string &environment = "")
{
	return support::run("env -u PROFIL_PUSH_TOKEN -u PROFIL_PUSH_PASSWORD -u http_proxy " + environment +
			    " " + support::build_dir() + "/profil push " + arguments);
}

std::string written(const TemporaryDirectory &directory, const std::string &name, const std::string &content)
{
	std::ofstream(directory / name, std::ios::binary) << content;
	return directory / name;
}

std::string sample_file(const TemporaryDirectory &directory)
{
	return written(directory, "sample.pb.gz", cli::encode_pprof(sample_profile()));
}

uint64_t address_in(const std::string &object, const std::string &function)
{
	return std::stoull(support::run("nm " + object + " | grep ' T " + function + "$'").text, nullptr, 16);
}

} // namespace

TEST_CASE("push sends a file to Pyroscope, once, with its labels", "[cli][push]")
{
	const TemporaryDirectory directory;
	const std::string file = sample_file(directory);
	const Receiver server(200, "");
	const support::Output output = push("--to " + server.url() + " --label region=eu " + file);

	CHECK(output.status == 0);
	CHECK(has(output.text, "profil push: " + file + " sent to " + server.url() + " ("));
	CHECK(lines(output.text) == 1);
	REQUIRE(server.requests().size() == 1);

	const httplib::Request got = server.requests().front();
	const std::string message = written(directory, "message", got.body);
	const support::Output decoded =
		support::run("protoc --decode=push.v1.PushRequest tests/host/data/push.proto <" + message);

	CHECK(got.path == "/push.v1.PusherService/Push");
	CHECK(decoded.status == 0);
	CHECK(has(decoded.text, "name: \"region\"\n    value: \"eu\""));
	CHECK(has(decoded.text, "name: \"service_name\"\n    value: \"program\""));
	CHECK(has(decoded.text, "name: \"__name__\"\n    value: \"process_cpu\""));
	CHECK(has(got.body, cli::encode_pprof(sample_profile())));
}

TEST_CASE("push sends standard input, and compresses a profile that is not gzipped", "[cli][push]")
{
	const TemporaryDirectory directory;
	const std::string packed = cli::encode_pprof(sample_profile());
	const std::string plain = written(directory, "plain", *cli::decompress(packed, 1 << 20));
	const Receiver server(200, "");

	CHECK(push("--format pyroscope-ingest --to " + server.url() + " - <" + plain).status == 0);
	REQUIRE(server.requests().size() == 1);
	CHECK(server.requests().front().path == "/ingest");
	CHECK(has(server.requests().front().get_param_value("name"), "program{hostname="));
	CHECK(server.requests().front().get_param_value("format") == "pprof");
	CHECK(server.requests().front().body == packed);
}

TEST_CASE("push adds the lines that a recording left for later", "[cli][push][lines]")
{
	const TemporaryDirectory directory;
	const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
	const auto rare = cli_test::map_object(self);
	cli::Tally tally;
	std::vector<std::string> warnings, left;

	/* This program has line information, but only one sample in a thousand. */
	tally.add(rare, {address_in(self, "main")}, 1);
	tally.add(cli_test::map_object("/bin/true"), {0x3000}, 999);
	cli::Profile profile = cli::build_profile(tally, {}, rare.get(), 1000, warnings, &left);
	profile.comments = cli::to_comments({"1", {}, 1, {}, left});
	REQUIRE(std::count(left.begin(), left.end(), self) == 1);
	REQUIRE(profile.locations.at(0).lines.at(0).line == 0);

	const std::string file = written(directory, "left.pb.gz", cli::encode_pprof(profile));
	const Receiver server(200, "");
	CHECK(push("--format pyroscope-ingest --to " + server.url() + " " + file).status == 0);
	REQUIRE(server.requests().size() == 1);
	const auto sent = cli::decode_pprof(server.requests().front().body);
	REQUIRE(sent);
	CHECK(sent->locations.at(0).lines.at(0).line > 0);
	CHECK(cli::from_comments(sent->comments).lines_later.empty());
}

TEST_CASE("push speaks to Parca in gRPC-Web", "[cli][push]")
{
	const TemporaryDirectory directory;
	const Receiver server([](const httplib::Request &, httplib::Response &response) {
		std::string trailers = cli::grpc_web_frame("grpc-status: 0\r\n");

		trailers[0] = '\x80';
		response.set_content(cli::grpc_web_frame("") + trailers, cli::grpc_web_type);
	});
	const std::string arguments = "--format parca --to " + server.url() + " " + sample_file(directory);

	CHECK(push(arguments).status == 0);
	REQUIRE(server.requests().size() == 1);

	const std::string message = written(directory, "message", server.requests().front().body.substr(5));
	const support::Output decoded =
		support::run("protoc --decode=parca.profilestore.v1alpha1.WriteRawRequest "
			     "tests/host/data/profilestore.proto <" +
			     message);

	CHECK(decoded.status == 0);
	CHECK(has(decoded.text, "normalized: true\n"));
}

TEST_CASE("a profile of another tool is not called normalized", "[cli][push]")
{
	const TemporaryDirectory directory;
	const Receiver server(200, "");
	cli::Profile profile = sample_profile();

	profile.comments.clear();

	const std::string file = written(directory, "other", cli::encode_pprof(profile));
	/* This server is not Parca. */
	const support::Output output = push("--format parca --to " + server.url() + " " + file);

	CHECK(output.status == 1);
	CHECK(output.text ==
	      "profil push: " + server.url() + ": 502 Bad Gateway: the response is not gRPC\n");
	CHECK(support::run("protoc --decode=parca.profilestore.v1alpha1.WriteRawRequest "
			   "tests/host/data/profilestore.proto <" +
			   written(directory, "message", server.requests().front().body.substr(5)))
		      .text.find("normalized") == std::string::npos);
}

TEST_CASE("push says in one line why it failed, with status 1", "[cli][push]")
{
	const TemporaryDirectory directory;
	const std::string file = sample_file(directory);
	const Receiver server(400, "profile is\ntoo old\x1b[2J");
	const support::Output refused = push("--to " + server.url() + " " + file);
	const support::Output down = push("--to http://127.0.0.1:1 " + file);

	CHECK(refused.status == 1);
	CHECK(refused.text == "profil push: " + server.url() + ": 400 Bad Request: profile is too old?[2J\n");
	CHECK(down.status == 1);
	CHECK(lines(down.text) == 1);
	CHECK(has(down.text, "profil push: http://127.0.0.1:1: Failed to connect to 127.0.0.1 port 1"));
}

TEST_CASE("a file that is not a profile is not sent", "[cli][push]")
{
	const TemporaryDirectory directory;
	const Receiver server(200, "");

	for (const std::string &file : {written(directory, "text", "no profile\n"), directory / "missing"}) {
		const support::Output output = push("--to " + server.url() + " " + file);

		CHECK(output.status == 1);
		CHECK(has(output.text, "profil push: " + file + ": "));
		CHECK(lines(output.text) == 1);
	}
	CHECK(server.requests().empty());
}

TEST_CASE("a token comes from a file or the environment, and is never shown", "[cli][push]")
{
	const TemporaryDirectory directory;
	const std::string file = sample_file(directory);
	const Receiver server([](const httplib::Request &got, httplib::Response &response) {
		response.status = 401;
		response.set_content("not for " + got.get_header_value("Authorization"), "text/plain");
	});
	const std::string token = written(directory, "token", "geheim-1\n");
	const std::string to = "--to " + server.url() + " " + file;
	const support::Output from_file =
		push("--auth-token-file " + token + " " + to, "PROFIL_PUSH_TOKEN=no");
	const support::Output from_environment = push(to, "PROFIL_PUSH_TOKEN=geheim-2");
	const support::Output password =
		push("--user ich --auth-password-file " + token + " " + to, "PROFIL_PUSH_TOKEN=no");
	const std::vector<httplib::Request> requests = server.requests();

	REQUIRE(requests.size() == 3);
	CHECK(requests[0].get_header_value("Authorization") == "Bearer geheim-1");
	CHECK(requests[1].get_header_value("Authorization") == "Bearer geheim-2");
	/* Base64 of ich:geheim-1. */
	CHECK(requests[2].get_header_value("Authorization") == "Basic aWNoOmdlaGVpbS0x");
	for (const support::Output &output : {from_file, from_environment, password}) {
		CHECK(output.status == 1);
		CHECK_FALSE(has(output.text, "geheim"));
		CHECK_FALSE(has(output.text, "aWNoOmdlaGVpbS0x"));
	}
}

TEST_CASE("a secret's file without a secret is an error", "[cli][push]")
{
	const TemporaryDirectory directory;
	const std::string file = sample_file(directory);

	for (const std::string &secret : {directory / "missing", written(directory, "empty", "\n"),
					  written(directory, "two", "a\nb\n")}) {
		const support::Output output = push("--auth-token-file " + secret + " " + file);

		CHECK(output.status == 1);
		CHECK(has(output.text, "profil push: " + secret + ": "));
	}
}

TEST_CASE("labels that a format cannot express are refused before anything is profiled", "[cli][push]")
{
	const TemporaryDirectory directory;
	const Receiver server(200, "");
	const std::string started = directory / "started";
	const std::string to = "--to " + server.url() + " --label env=a,b ";
	const support::Output ingest = push("--format pyroscope-ingest " + to + "-- touch " + started);
	const support::Output twice = push(to + "--label env=c -- touch " + started);

	CHECK(ingest.status == 1);
	CHECK(ingest.text == "profil push: label 'env=a,b': the format pyroscope-ingest does not allow { } , "
			     "= in a value (use --format pyroscope)\n");
	CHECK(twice.status == 1);
	CHECK(twice.text == "profil push: label 'env' is given twice\n");
	CHECK_FALSE(std::filesystem::exists(started));
	CHECK(server.requests().empty());
}

TEST_CASE("wrong usage of push is reported in profil's own words", "[cli][push]")
{
	const std::pair<const char *, const char *> all[] = {
		{"--format xml", "--format: 'xml' is not pyroscope, pyroscope-ingest, parca or otlp"},
		{"--label 9=a",
		 "--label: '9=a': a name consists of letters, digits and _, and does not begin with a digit"},
		{"--header geheim", "--header: a header has the form 'Name: value'"},
		{"--timeout 0", "--timeout: '0' is not a number above 0"},
		{"--user a --auth-token-file b", "give either --auth-token-file or --user, not both"},
		{"--auth-password-file b", "--auth-password-file needs --user"},
		{"a b", "unexpected argument: b"},
		{"--to", "--to needs a value"},
	};

	for (const auto &[arguments, words] : all) {
		const support::Output output = push(arguments);

		CAPTURE(arguments, output.text);
		CHECK(output.status == 2);
		CHECK(lines(output.text) == 1);
		CHECK(has(output.text, words));
		CHECK_FALSE(has(output.text, "geheim"));
	}
	CHECK(has(push("--help").text, "Usage: profil push"));
}
