// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/push/encode.cpp  Labels and requests for servers, decoded by protoc with the
 * fields of the servers' own files. */
#include "cli/commands/push/encode.h"
#include "cli/base/gzip.h"
#include "cli/commands/push/labels.h"
#include "cli/commands/push/series.h"
#include "cli/http/grpc_web.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/event_profile.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>
#include <unistd.h>

using namespace cli;

namespace {

std::string label_error(const std::string &text)
{
	const Result<PushLabel> label = parse_push_label(text);

	return label ? "" : label.error().text;
}

const PushLabels labels = {{"__name__", "process_cpu"}, {"region", "eu"}, {"service_name", "größe"}};

PushProfile sample_push()
{
	return {encode_pprof(sample_profile()), 1790000000000000000, 1500000000, true,
		"12345678-9abc-4def-8123-456789abcdef"};
}

support::Output protoc(const std::string &message, const std::string &arguments)
{
	const support::TemporaryDirectory directory;

	std::ofstream(directory / "message", std::ios::binary) << message;
	return support::run("protoc " + arguments + " <" + (directory / "message"));
}

Result<HttpRequest> encode(PushFormat format, const PushLabels &with, const PushProfile &profile)
{
	const PushSeries series = {with, profile, sample_profile()};
	Result<std::vector<HttpRequest>> requests = encode_push(format, {&series, 1});

	if (!requests)
		return requests.error();
	REQUIRE(requests->size() == 1);
	return requests->front();
}

/* Undoes one escape of protoc's output. */
unsigned char unescaped(const std::string &text, size_t &at)
{
	if (text[at] != '\\')
		return static_cast<unsigned char>(text[at++]);
	at++;
	if (text[at] >= '0' && text[at] <= '7') {
		at += 3;
		return static_cast<unsigned char>(std::stoi(text.substr(at - 3, 3), nullptr, 8));
	}
	const char c = text[at++];

	return static_cast<unsigned char>(c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c);
}

/** The bytes of the first raw_profile field. */
std::string raw_profile_of(const std::string &decoded)
{
	const std::string mark = "raw_profile: \"";
	size_t at = decoded.find(mark);
	std::string bytes;

	REQUIRE(at != decoded.npos);
	for (at += mark.size(); decoded[at] != '"';)
		bytes += static_cast<char>(unescaped(decoded, at));
	return bytes;
}

std::string around_profile(const std::string &decoded)
{
	const size_t begin = decoded.rfind('\n', decoded.find("raw_profile"));

	return decoded.substr(0, begin + 1) + decoded.substr(decoded.find('\n', begin + 1) + 1);
}

std::string grpc_trailers(const std::string &text)
{
	std::string frame = grpc_web_frame(text);

	frame[0] = static_cast<char>(0x80);
	return frame;
}

} // namespace

TEST_CASE("labels follow Prometheus' rules for names and values", "[cli][push]")
{
	CHECK(*parse_push_label("region=eu") == PushLabel{"region", "eu"});
	CHECK(*parse_push_label("_a9=b=c") == PushLabel{"_a9", "b=c"});
	CHECK(*parse_push_label("ort=Größe 1") == PushLabel{"ort", "Größe 1"});
	CHECK(*parse_push_label("__name__=memory") == PushLabel{"__name__", "memory"});
	CHECK(label_error("region") == "'region' is not NAME=VALUE");
	for (const char *text : {"9a=b", "a-b=c", "=b", "a b=c",
				 "gr\xc3\xb6\xc3\x9f"
				 "e=1"})
		CHECK(label_error(text) ==
		      "'" + std::string(text) +
			      "': a name consists of letters, digits and _, and does not begin with a digit");
	CHECK(label_error("__x__=1") == "'__x__=1': names that begin with __ are reserved, except __name__");
	CHECK(label_error("a=") == "'a=': an empty value is the same as no label");
	CHECK(label_error("a=\xff") == "'a=\xff': its value is not printable UTF-8");
	CHECK(label_error("a=b\nc") == "'a=b\nc': its value is not printable UTF-8");
	CHECK(label_error("__name__=a b") == "'__name__=a b': the value of __name__ consists of letters, "
					     "digits and _, and does not begin with a digit");
}

TEST_CASE("labels that are not given have defaults, and no label is given twice", "[cli][push]")
{
	char host[256] = {};

	gethostname(host, sizeof(host) - 1);
	CHECK(*complete_push_labels({}, "program") ==
	      PushLabels{{"__name__", "process_cpu"}, {"hostname", host}, {"service_name", "program"}});
	CHECK(*complete_push_labels({{"service_name", "web"}, {"hostname", "a"}, {"env", "x"}}, "program") ==
	      PushLabels{
		      {"__name__", "process_cpu"}, {"env", "x"}, {"hostname", "a"}, {"service_name", "web"}});

	const Result<PushLabels> twice = complete_push_labels({{"a", "1"}, {"a", "2"}}, "program");

	REQUIRE_FALSE(twice);
	CHECK(twice.error().text == "label 'a' is given twice");
}

TEST_CASE("the service is the profiled program", "[cli][push]")
{
	Profile profile = sample_profile();

	CHECK(service_of(profile) == "program");
	profile.mappings.front().filename = "/x/evil\x1b[2J";
	CHECK(service_of(profile) == "evil?[2J");
	profile.mappings.clear();
	CHECK(service_of(profile) == "profil");
}

TEST_CASE("protoc reads a PushRequest as Pyroscope's push.proto has it", "[cli][push]")
{
	const PushProfile profile = sample_push();
	const Result<HttpRequest> request = encode(PushFormat::Pyroscope, labels, profile);

	REQUIRE(request);
	CHECK(request->path == "/push.v1.PusherService/Push");
	CHECK(request->headers ==
	      std::vector<std::string>{"Content-Type: application/proto", "Connect-Protocol-Version: 1"});

	const support::Output decoded =
		protoc(request->body, "--decode=push.v1.PushRequest tests/host/data/push.proto");

	CHECK(decoded.status == 0);
	CHECK(around_profile(decoded.text) ==
	      "series {\n"
	      "  labels {\n    name: \"__name__\"\n    value: \"process_cpu\"\n  }\n"
	      "  labels {\n    name: \"region\"\n    value: \"eu\"\n  }\n"
	      "  labels {\n    name: \"service_name\"\n    value: \"gr\\303\\266\\303\\237e\"\n  }\n"
	      "  samples {\n"
	      "    ID: \"12345678-9abc-4def-8123-456789abcdef\"\n  }\n}\n");
	CHECK(raw_profile_of(decoded.text) == profile.content);
	CHECK(decode_pprof(raw_profile_of(decoded.text))->samples.size() == 4);
}

TEST_CASE("protoc reads a WriteRawRequest as Parca's profilestore.proto has it", "[cli][push]")
{
	PushProfile profile = sample_push();
	const Result<HttpRequest> request = encode(PushFormat::Parca, labels, profile);
	const std::string decode =
		"--decode=parca.profilestore.v1alpha1.WriteRawRequest tests/host/data/profilestore.proto";

	REQUIRE(request);
	CHECK(request->path == "/api/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw");
	CHECK(request->headers.front() == "Content-Type: application/grpc-web+proto");
	CHECK(request->body.substr(0, 1) == std::string(1, '\0'));

	const support::Output decoded = protoc(request->body.substr(5), decode);

	CHECK(decoded.status == 0);
	CHECK(around_profile(decoded.text) ==
	      "series {\n  labels {\n"
	      "    labels {\n      name: \"__name__\"\n      value: \"process_cpu\"\n    }\n"
	      "    labels {\n      name: \"region\"\n      value: \"eu\"\n    }\n"
	      "    labels {\n      name: \"service_name\"\n      value: \"gr\\303\\266\\303\\237e\"\n    }\n"
	      "  }\n  samples {\n  }\n}\nnormalized: true\n");
	CHECK(raw_profile_of(decoded.text) == profile.content);
	profile.normalized = false;
	const PushSeries series = {labels, profile, {}};
	CHECK(protoc(encode_write_raw_request({&series, 1}), decode).text.find("normalized") ==
	      std::string::npos);
}

TEST_CASE("series are in one request, except for /ingest, and OTLP calls labels by its own names",
	  "[cli][push]")
{
	const PushSeries both[] = {
		{{{"service_name", "a"}, {"__name__", "process_cpu"}}, sample_push(), sample_profile()},
		{{{"service_name", "b"}, {"pod", "u"}, {"unit", "b.service"}},
		 sample_push(),
		 sample_profile()}};
	const auto requests = [&](PushFormat format) { return *encode_push(format, both); };

	for (const PushFormat format : {PushFormat::Pyroscope, PushFormat::Parca, PushFormat::Otlp})
		CHECK(requests(format).size() == 1);
	CHECK(requests(PushFormat::PyroscopeIngest).size() == 2);

	const std::string pyroscope = protoc(requests(PushFormat::Pyroscope)[0].body,
					     "--decode=push.v1.PushRequest tests/host/data/push.proto")
					      .text;
	CHECK(pyroscope.find("value: \"a\"") < pyroscope.find("value: \"b\""));
	CHECK(pyroscope.find("value: \"b\"") != pyroscope.npos);

	const HttpRequest otlp = requests(PushFormat::Otlp)[0];
	CHECK(otlp.path == "/v1development/profiles");
	CHECK(otlp.headers == std::vector<std::string>{"Content-Type: application/x-protobuf",
						       "Content-Encoding: gzip",
						       "OTLP-Profiles-Development-Version: 1"});
	const std::string text = protoc(*decompress(otlp.body, 1 << 20),
					"--decode=otlp.ProfilesData tests/host/data/otlp.proto")
					 .text;
	for (const char *part : {"\"service.name\"", "\"k8s.pod.uid\"", "\"unit\"", "\"b.service\""})
		CHECK(text.find(part) != text.npos);
	CHECK(text.find("process_cpu") == text.npos);
}

TEST_CASE("the query of /ingest has the labels in the name, and seconds", "[cli][push]")
{
	const PushProfile profile = sample_push();
	const Result<HttpRequest> request = encode(PushFormat::PyroscopeIngest, labels, profile);

	REQUIRE(request);
	CHECK(request->path ==
	      "/ingest?name=gr%C3%B6%C3%9Fe%7Bregion%3Deu%7D&from=1790000000&until=1790000002"
	      "&spyName=profil&format=pprof");
	CHECK(request->body == profile.content);
	for (const PushLabels &bad : {PushLabels{{"a", "x,y"}}, {{"a", "}"}}, {{"__name__", "memory"}}})
		CHECK_FALSE(encode(PushFormat::PyroscopeIngest, bad, profile));
	CHECK(encode(PushFormat::PyroscopeIngest, {{"a", "x,y"}}, profile).error().text ==
	      "label 'a=x,y': the format pyroscope-ingest does not allow { } , = in a value (use --format "
	      "pyroscope)");
}

TEST_CASE("times that no clock shows still give an interval of /ingest", "[cli][push]")
{
	PushProfile profile = sample_push();

	profile.start_nanos = INT64_MAX;
	profile.duration_nanos = INT64_MAX;
	CHECK(encode(PushFormat::PyroscopeIngest, {}, profile)
		      ->path.find("from=9223372036&until=18446744073&") != std::string::npos);
	profile.start_nanos = INT64_MIN;
	profile.duration_nanos = INT64_MIN;
	CHECK(encode(PushFormat::PyroscopeIngest, {}, profile)
		      ->path.find("from=-9223372036&until=-9223372035&") != std::string::npos);
}

TEST_CASE("a UUID has its version and variant", "[cli][push]")
{
	CHECK(uuid_from(std::string(16, '\0')) == "00000000-0000-4000-8000-000000000000");
	CHECK(uuid_from(std::string(16, '\xff')) == "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST_CASE("gRPC-Web's answers become HTTP's", "[cli][push]")
{
	const std::string empty = grpc_web_frame("");

	CHECK(grpc_web_frame(std::string(258, 'x')).substr(0, 5) == std::string("\0\0\0\1\2", 5));
	CHECK(grpc_web_answer({200, empty + grpc_trailers("grpc-status: 0\r\n"), {}, {}}).status == 200);

	const HttpResponse refused = grpc_web_answer(
		{200, grpc_trailers("grpc-status:3\r\ngrpc-message:no%20%C3%B6 100%\r\n"), {}, {}});

	CHECK(refused.status == 400);
	CHECK(refused.body == "no ö 100%");
	CHECK(grpc_web_answer({200, "", {"grpc-status: 14", "grpc-message: busy"}, {}}).status == 503);
	CHECK(grpc_web_answer({200, "", {"grpc-status: 8"}, {}}).status == 429);
	CHECK(grpc_web_answer({200, "", {"grpc-status: 16"}, {}}).status == 401);
	/* Not gRPC at all: a web page, a truncated answer, nonsense. */
	CHECK(grpc_web_answer({200, "<html>hello</html>", {}, {}}).status == 502);
	CHECK(grpc_web_answer({200, grpc_trailers("grpc-status: 0\r\n").substr(0, 12), {}, {}}).status ==
	      502);
	CHECK(grpc_web_answer({200, "", {"grpc-status: 17"}, {}}).status == 502);
	CHECK(grpc_web_answer({200, "", {"grpc-status: -1"}, {}}).status == 502);
	CHECK(grpc_web_answer({404, "<html>", {}, {}}).status == 404);
}

TEST_CASE("the form for /ingest says what each event is, as the server knows none of them", "[cli][push]")
{
	const Result<std::vector<PushSeries>> series =
		push_series({{"service_name", "web"}, {"hostname", "h"}}, event_profile(), "");

	REQUIRE(series);
	const Result<std::vector<HttpRequest>> requests = encode_push(PushFormat::PyroscopeIngest, *series);

	REQUIRE(requests);
	REQUIRE(requests->size() == 1);
	const HttpRequest &request = requests->front();
	const std::string boundary = "profil-" + series->front().profile.id;

	CHECK(request.path == "/ingest?name=web%7Bhostname%3Dh%7D&from=0&until=2&spyName=profil");
	CHECK(request.headers ==
	      std::vector<std::string>{"Content-Type: multipart/form-data; boundary=" + boundary});
	CHECK(request.body ==
	      "--" + boundary +
		      "\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"profile.pprof\"\r\n"
		      "Content-Type: application/octet-stream\r\n\r\n" +
		      series->front().profile.content + "\r\n--" + boundary +
		      "\r\nContent-Disposition: form-data; name=\"sample_type_config\"; "
		      "filename=\"sample_type_config.json\"\r\nContent-Type: application/json\r\n\r\n"
		      R"({"page_faults":{"units":"objects","display-name":"page_faults","aggregation":"sum"},)"
		      R"("context_switches":{"units":"objects","display-name":"context_switches",)"
		      R"("aggregation":"sum"},)"
		      R"("cycles":{"units":"objects","display-name":"cycles","aggregation":"sum"}})"
		      "\r\n--" +
		      boundary + "--\r\n");
	/* With this format, the server chooses __name__. */
	CHECK_FALSE(encode_push(PushFormat::PyroscopeIngest,
				*push_series({{"__name__", "process_cpu"}}, event_profile(), "")));
}

TEST_CASE("OTLP gets a profile of each event, with the samples that it has", "[cli][push]")
{
	const Result<std::vector<PushSeries>> series = push_series({}, event_profile(), "");

	REQUIRE(series);
	const Result<std::vector<HttpRequest>> requests = encode_push(PushFormat::Otlp, *series);

	REQUIRE(requests);
	std::string text = protoc(*decompress(requests->front().body, 1 << 20),
				  "--decode=otlp.ProfilesData tests/host/data/otlp.proto")
				   .text;
	std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
	const auto count = [&](const std::string &part) {
		size_t found = 0;

		for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
			found++;
		return found;
	};

	CAPTURE(text);
	CHECK(count("}profiles{sample_type{") == 3);
	CHECK(count("profile_id:") == 1);
	CHECK(count("samples{") == 2 + 2 + 2);
	CHECK(count("values:900}") == 1);
	CHECK(count("values:41}") == 1);
	CHECK(count("values:2000000}") == 1);
	CHECK(count("period:1000000") == 1);
	CHECK(count("\"page_faults\"") == 1);
}
