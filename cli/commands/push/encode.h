// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/push/encode.h
 * Profiles in the formats that continuous-profiling servers accept.
 *
 * Pyroscope: grafana.com/docs/pyroscope/latest/reference-server-api, "Ingestion Path",
 * describes `/push.v1.PusherService/Push` and `/ingest`.  Push uses the unary calls of
 * connectrpc.com/docs/protocol, with the messages of api/push/v1/push.proto and
 * api/types/v1/types.proto in github.com/grafana/pyroscope.  `/ingest` drops unknown types,
 * unless the profile is in a form with sample_type_config (pkg/og/convert/pprof).
 *
 * Parca: proto/parca/profilestore/v1alpha1/profilestore.proto in
 * github.com/parca-dev/parca, called by gRPC-Web below `/api`, as Parca's user
 * interface does.  The path `/profiles/writeraw` in that file does not work: the server
 * (pkg/server/server.go) mounts the JSON gateway below `/api` without removing that
 * prefix from the path.
 *
 * OTLP: opentelemetry.io/docs/specs/otlp, "OTLP/HTTP", with the message of cli/profile/otlp.h
 * and the path /v1development/profiles of the OpenTelemetry Collector's receiver.
 */
#pragma once

#include "cli/base/result.h"
#include "cli/commands/push/labels.h"
#include "cli/http/message.h"
#include "cli/profile/profile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

enum class PushFormat { Pyroscope, PyroscopeIngest, Parca, Otlp };

/** A profile to push. */
struct PushProfile {
	std::string content; /**< in pprof's format, gzipped */
	int64_t start_nanos = 0;
	int64_t duration_nanos = 0;
	bool normalized = false; /**< addresses are link-time addresses of the objects */
	std::string id;		 /**< a UUID; Pyroscope's push API and OTLP take it */
};

/** A profile that is filed under one set of labels. */
struct PushSeries {
	PushLabels labels;
	PushProfile profile;
	Profile decoded; /**< the profile in PushProfile::content */
	/** Events per sample, by type, if the profile is from events_for_servers(); else empty. */
	std::vector<uint64_t> periods = {};

	[[nodiscard]] bool of_events() const { return !periods.empty(); }
};

/** The requests that send all series, or an error if the format cannot express a label. */
Result<std::vector<HttpRequest>> encode_push(PushFormat format, std::span<const PushSeries> all);

/** The bodies of the requests to Pyroscope and, before framing, to Parca. */
std::string encode_push_request(std::span<const PushSeries> all);
std::string encode_write_raw_request(std::span<const PushSeries> all);

/** A UUID of version 4 (RFC 9562) from 16 random bytes. */
std::string uuid_from(std::string_view bytes);

} // namespace cli
