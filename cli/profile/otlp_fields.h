// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/otlp_fields.h  Field numbers of OTLP's profiles, with the messages of
 * common.proto and resource.proto that they contain. */
#pragma once

#include <protozero/types.hpp>

namespace cli::field::otlp {

/** The same numbers as ExportProfilesServiceRequest. */
enum class ProfilesData : protozero::pbf_tag_type { resource_profiles = 1, dictionary = 2 };

enum class ResourceProfiles : protozero::pbf_tag_type { resource = 1, scope_profiles = 2 };

enum class Resource : protozero::pbf_tag_type { attributes = 1 };

enum class ScopeProfiles : protozero::pbf_tag_type { scope = 1, profiles = 2 };

enum class Scope : protozero::pbf_tag_type { name = 1, version = 2 };

enum class KeyValue : protozero::pbf_tag_type { key = 1, value = 2 };

enum class AnyValue : protozero::pbf_tag_type { string_value = 1, int_value = 3 };

enum class Dictionary : protozero::pbf_tag_type {
	mapping_table = 1,
	location_table = 2,
	function_table = 3,
	link_table = 4,
	string_table = 5,
	attribute_table = 6,
	stack_table = 7
};

enum class Profile : protozero::pbf_tag_type {
	sample_type = 1,
	samples = 2,
	time_unix_nano = 3,
	duration_nano = 4,
	period_type = 5,
	period = 6,
	profile_id = 7
};

enum class ValueType : protozero::pbf_tag_type { type_strindex = 1, unit_strindex = 2 };

enum class Sample : protozero::pbf_tag_type { stack_index = 1, values = 4 };

enum class Mapping : protozero::pbf_tag_type {
	memory_start = 1,
	memory_limit = 2,
	file_offset = 3,
	filename_strindex = 4,
	attribute_indices = 5
};

enum class Stack : protozero::pbf_tag_type { location_indices = 1 };

enum class Location : protozero::pbf_tag_type { mapping_index = 1, address = 2, lines = 3 };

enum class Line : protozero::pbf_tag_type { function_index = 1, line = 2 };

enum class Function : protozero::pbf_tag_type {
	name_strindex = 1,
	system_name_strindex = 2,
	filename_strindex = 3,
	start_line = 4
};

enum class KeyValueAndUnit : protozero::pbf_tag_type { key_strindex = 1, value = 2, unit_strindex = 3 };

/** ExportProfilesServiceResponse. */
enum class Response : protozero::pbf_tag_type { partial_success = 1 };

enum class PartialSuccess : protozero::pbf_tag_type { rejected_profiles = 1, error_message = 2 };

} // namespace cli::field::otlp
