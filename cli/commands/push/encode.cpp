// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/encode.h"

#include "cli/base/gzip.h"
#include "cli/base/numbers.h"
#include "cli/commands/push/fields.h"
#include "cli/http/grpc_web.h"
#include "cli/profile/otlp.h"

#include <fmt/format.h>
#include <protozero/pbf_builder.hpp>
#include <utility>

namespace cli {
namespace {

constexpr int64_t ns_per_second = 1000000000;

template <typename Parent, typename Tag> void add_label(Parent &parent, Tag tag, const PushLabel &label)
{
	protozero::pbf_builder<field::LabelPair> out(parent, tag);

	out.add_string(field::LabelPair::name, label.name);
	out.add_string(field::LabelPair::value, label.value);
}

/* Encode a component of a query, as in RFC 3986. */
std::string percent_encoded(std::string_view text)
{
	std::string encoded;

	for (const char c : text) {
		const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				   (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';

		encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
	}
	return encoded;
}

/* /ingest cannot quote characters in labels, and its server chooses the kind of profile. */
std::string why_not_in_ingest(const PushLabel &label, std::string_view kind)
{
	if (label.value.find_first_of("{},=") != label.value.npos)
		return "does not allow { } , = in a value";
	if (label.name == push_kind_label && label.value != kind)
		return "cannot set __name__";
	return "";
}

/** "service{name=value,...}" */
Result<std::string> ingest_name(const PushSeries &series)
{
	const char *const kind = series.of_events() ? push_kind_events : push_kind_default;
	std::string service = "profil";
	std::string rest;

	for (const PushLabel &label : series.labels) {
		if (const std::string why = why_not_in_ingest(label, kind); !why.empty())
			return Error{
				fmt::format("label '{}={}': the format pyroscope-ingest {} (use --format "
					    "pyroscope)",
					    label.name, label.value, why)};
		if (label.name == "service_name")
			service = label.value;
		else if (label.name != push_kind_label)
			rest += fmt::format("{}{}={}", rest.empty() ? "" : ",", label.name, label.value);
	}
	return service + "{" + rest + "}";
}

/** Tells the server how to treat each type, because it knows none of these types. */
std::string type_config(const Profile &profile)
{
	std::string types;

	for (const ValueType &type : profile.sample_types)
		types +=
			fmt::format(R"({}"{}":{{"units":"objects","display-name":"{}","aggregation":"sum"}})",
				    types.empty() ? "" : ",", type.type, type.type);
	return "{" + types + "}";
}

/** Makes the body a form with the profile and type_config(). */
void add_form(HttpRequest &request, const PushSeries &series)
{
	const std::string boundary = "profil-" + series.profile.id;
	const auto part = [&](const char *name, const char *file, const char *type,
			      const std::string &content) {
		request.body += fmt::format("--{}\r\nContent-Disposition: form-data; name=\"{}\"; "
					    "filename=\"{}\"\r\nContent-Type: {}\r\n\r\n",
					    boundary, name, file, type);
		request.body += content + "\r\n";
	};

	part("profile", "profile.pprof", "application/octet-stream", series.profile.content);
	part("sample_type_config", "sample_type_config.json", "application/json",
	     type_config(series.decoded));
	request.body += fmt::format("--{}--\r\n", boundary);
	request.headers = {fmt::format("Content-Type: multipart/form-data; boundary={}", boundary)};
}

/* "from" and "until" must be whole seconds, and must differ; the profile has the exact times. */
Result<HttpRequest> ingest_request(const PushSeries &series)
{
	const PushProfile &profile = series.profile;
	const Result<std::string> name = ingest_name(series);

	if (!name)
		return name.error();

	const int64_t from = profile.start_nanos / ns_per_second;
	const int64_t seconds =
		profile.duration_nanos / ns_per_second + (profile.duration_nanos % ns_per_second > 0 ? 1 : 0);
	const int64_t until = from + std::max<int64_t>(seconds, 1);
	HttpRequest request;

	request.path = fmt::format("/ingest?name={}&from={}&until={}&spyName=profil", percent_encoded(*name),
				   from, until);
	if (series.of_events()) {
		add_form(request, series);
		return request;
	}
	request.path += "&format=pprof";
	request.headers = {"Content-Type: application/octet-stream"};
	request.body = profile.content;
	return request;
}

/** A request for each series. */
Result<std::vector<HttpRequest>> ingest_requests(std::span<const PushSeries> all)
{
	std::vector<HttpRequest> requests;

	for (const PushSeries &one : all) {
		Result<HttpRequest> request = ingest_request(one);

		if (!request)
			return request.error();
		requests.push_back(*std::move(request));
	}
	return requests;
}

/** A label's name in OpenTelemetry's semantic conventions; unchanged if they have no such name. */
std::string attribute_name(const std::string &label)
{
	constexpr std::pair<std::string_view, std::string_view> names[] = {
		{"container_id", "container.id"},
		{"hostname", "host.name"},
		{"pod", "k8s.pod.uid"},
		{"service_name", "service.name"},
	};

	for (const auto &[ours, theirs] : names) {
		if (label == ours)
			return std::string(theirs);
	}
	return label;
}

std::vector<OtlpResource> resources_of(std::span<const PushSeries> all)
{
	std::vector<OtlpResource> resources;

	for (const PushSeries &one : all) {
		OtlpResource &resource = resources.emplace_back();

		resource.profile = &one.decoded;
		resource.id = one.profile.id;
		for (size_t type = 0; type < one.periods.size(); type++)
			resource.values.push_back({type, static_cast<int64_t>(one.periods[type])});
		for (const PushLabel &label : one.labels) {
			if (label.name != push_kind_label)
				resource.attributes.push_back({attribute_name(label.name), label.value});
		}
	}
	return resources;
}

} // namespace

std::string encode_push_request(std::span<const PushSeries> all)
{
	std::string message;
	protozero::pbf_builder<field::PushRequest> request(message);

	for (const PushSeries &one : all) {
		protozero::pbf_builder<field::PushSeries> series(request, field::PushRequest::series);

		for (const PushLabel &label : one.labels)
			add_label(series, field::PushSeries::labels, label);

		protozero::pbf_builder<field::RawSample> sample(series, field::PushSeries::samples);

		sample.add_bytes(field::RawSample::raw_profile, one.profile.content);
		sample.add_string(field::RawSample::id, one.profile.id);
	}
	return message;
}

std::string encode_write_raw_request(std::span<const PushSeries> all)
{
	std::string message;
	protozero::pbf_builder<field::WriteRawRequest> request(message);
	bool normalized = true;

	for (const PushSeries &one : all) {
		protozero::pbf_builder<field::WriteRawSeries> series(request, field::WriteRawRequest::series);
		{
			protozero::pbf_builder<field::LabelSet> set(series, field::WriteRawSeries::labels);

			for (const PushLabel &label : one.labels)
				add_label(set, field::LabelSet::labels, label);
		}
		protozero::pbf_builder<field::RawSample> sample(series, field::WriteRawSeries::samples);

		sample.add_bytes(field::RawSample::raw_profile, one.profile.content);
		normalized = normalized && one.profile.normalized;
	}
	request.add_bool(field::WriteRawRequest::normalized, normalized);
	return message;
}

Result<std::vector<HttpRequest>> encode_push(PushFormat format, std::span<const PushSeries> all)
{
	switch (format) {
	case PushFormat::PyroscopeIngest: return ingest_requests(all);
	case PushFormat::Parca:
		return std::vector<HttpRequest>{
			{"/api/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
			 {fmt::format("Content-Type: {}", grpc_web_type), "X-Grpc-Web: 1"},
			 grpc_web_frame(encode_write_raw_request(all))}};
	case PushFormat::Otlp:
		return std::vector<HttpRequest>{
			{"/v1development/profiles",
			 {"Content-Type: application/x-protobuf", "Content-Encoding: gzip",
			  fmt::format("OTLP-Profiles-Development-Version: {}", otlp_version)},
			 compress(encode_otlp(resources_of(all)))}};
	case PushFormat::Pyroscope: break;
	}
	return std::vector<HttpRequest>{{"/push.v1.PusherService/Push",
					 {"Content-Type: application/proto", "Connect-Protocol-Version: 1"},
					 encode_push_request(all)}};
}

std::string uuid_from(std::string_view bytes)
{
	std::string raw(bytes.substr(0, 16));

	raw.resize(16);
	raw[6] = static_cast<char>((raw[6] & 0x0f) | 0x40);
	raw[8] = static_cast<char>((raw[8] & 0x3f) | 0x80);

	std::string text = hex(raw);

	for (const size_t at : {8U, 13U, 18U, 23U})
		text.insert(at, 1, '-');
	return text;
}

} // namespace cli
