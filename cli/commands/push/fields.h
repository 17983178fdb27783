// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/fields.h  Field numbers of Pyroscope's push.proto and types.proto, and of Parca's
 * profilestore.proto. */
#pragma once

#include <protozero/types.hpp>

namespace cli::field {

enum class PushRequest : protozero::pbf_tag_type { series = 1 };

enum class PushSeries : protozero::pbf_tag_type { labels = 1, samples = 2 };

enum class WriteRawRequest : protozero::pbf_tag_type { series = 2, normalized = 3 };

enum class WriteRawSeries : protozero::pbf_tag_type { labels = 1, samples = 2 };

enum class LabelSet : protozero::pbf_tag_type { labels = 1 };

/** This message is the same in both protocols. */
enum class LabelPair : protozero::pbf_tag_type { name = 1, value = 2 };

/** Parca's message has no ID. */
enum class RawSample : protozero::pbf_tag_type { raw_profile = 1, id = 2 };

} // namespace cli::field
