// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/profile/otlp.h
 * Profiles in OpenTelemetry's protocol: experimental, like the signal itself.
 *
 * The messages are those of opentelemetry/proto/profiles/v1development/profiles.proto in
 * github.com/open-telemetry/opentelemetry-proto; names of attributes are those of
 * opentelemetry.io/docs/specs/semconv.
 */
#pragma once

#include "cli/profile/profile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cli {

/** The OTLP-Profiles-Development-Version header, which receivers check. */
inline constexpr char otlp_version[] = "1";

struct OtlpAttribute {
	std::string name;
	std::variant<std::string, int64_t> value;
};

/** A type of value that becomes a profile of its own. */
struct OtlpValue {
	size_t type = 0;    /**< index in Profile::sample_types */
	int64_t period = 0; /**< the amount of the value between two samples */
};

/** The samples of a resource, for instance of a service, and its attributes. */
struct OtlpResource {
	std::vector<OtlpAttribute> attributes;
	const Profile *profile = nullptr;
	std::string id; /**< a UUID for the first profile; empty: none */
	/** Each type becomes a profile: OTLP allows one per profile.  Empty: only the samples. */
	std::vector<OtlpValue> values = {};
};

/** Encode a ProfilesData message, which is also an ExportProfilesServiceRequest. */
std::string encode_otlp(std::span<const OtlpResource> resources);

/**
 * An error if a response (ExportProfilesServiceResponse) reports rejected profiles, or is not OTLP.
 * @return the text; empty if all profiles were accepted.
 */
std::string otlp_refusal(std::string_view answer);

} // namespace cli
