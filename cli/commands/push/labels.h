// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/push/labels.h
 * The labels under which a continuous-profiling server files a profile.
 *
 * Names follow Prometheus' data model (prometheus.io/docs/concepts/data_model):
 * [a-zA-Z_][a-zA-Z0-9_]*; names that begin with "__" are reserved.  Values are any
 * UTF-8.  "__name__" is the kind of profile: it is "process_cpu" in Pyroscope's
 * documentation of its server's API, and in Parca's own recordings of CPU time.
 */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/profile.h"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

inline constexpr char push_kind_label[] = "__name__";
inline constexpr char push_kind_default[] = "process_cpu";
/** The kind of profiles whose types are events. */
inline constexpr char push_kind_events[] = "events";

struct PushLabel {
	std::string name;
	std::string value;

	auto operator<=>(const PushLabel &) const = default;
};

/** Ascending by name, each name once. */
using PushLabels = std::vector<PushLabel>;

/** Parse "name=value"; the error says why the text is wrong. */
Result<PushLabel> parse_push_label(std::string_view text);

/**
 * The given labels, and defaults for labels that were not given: @p kind for
 * __name__, @p service for service_name, this machine's hostname, and @p more.
 * @return an error if a name was given twice.
 */
Result<PushLabels> complete_push_labels(std::vector<PushLabel> given, const std::string &service,
					const PushLabels &more = {},
					const std::string &kind = push_kind_default);

/** The service_name of a profile without labels: the file name of its first mapping, or "profil". */
std::string service_of(const Profile &profile);

} // namespace cli
