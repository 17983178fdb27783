// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/profile/profile.h
 * A profile as in pprof's profile.proto.
 *
 * Members are named as in that format, with indices instead of ids and strings
 * instead of the string table.  This project's additions are stored in comments,
 * which every reader of the format keeps.
 */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/labels.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct ValueType {
	std::string type;
	std::string unit;

	bool operator==(const ValueType &) const = default;
};

struct ProfileMapping {
	uint64_t start = 0;
	uint64_t limit = 0;
	uint64_t offset = 0;
	std::string filename;
	std::string build_id; /**< hexadecimal */
	bool has_functions = false;
	bool has_filenames = false;
	bool has_line_numbers = false;
	bool has_inline_frames = false;
};

struct Function {
	std::string name; /**< demangled */
	std::string system_name;
	std::string filename;
	int64_t start_line = 0;

	bool operator==(const Function &) const = default;
};

struct Line {
	size_t function = 0; /**< index in Profile::functions */
	int64_t line = 0;
};

struct Location {
	std::optional<size_t> mapping; /**< index in Profile::mappings */
	uint64_t address = 0;
	std::vector<Line> lines; /**< innermost inlined function first */
};

struct Sample {
	std::vector<size_t> locations; /**< indices in Profile::locations, leaf first */
	std::vector<int64_t> values;   /**< one for each of Profile::sample_types */
	Labels labels;
};

struct Profile {
	std::vector<ValueType> sample_types;
	std::vector<Sample> samples;
	std::vector<ProfileMapping> mappings;
	std::vector<Location> locations;
	std::vector<Function> functions;
	int64_t time_nanos = 0;
	int64_t duration_nanos = 0;
	ValueType period_type;
	int64_t period = 0;
	std::vector<std::string> comments;
	std::string default_sample_type;
};

/**
 * The index in Sample::values of the values to show: those of the type "samples", as in
 * our profiles; else Profile::default_sample_type; else the first type with the unit
 * "count"; else the first.
 */
size_t samples_index(const Profile &profile);

/** Keep only the values of type @p name, and make them the default.  The error lists the types. */
Outcome keep_value(Profile &profile, const std::string &name);

/** The number of samples that @p sample stands for; 0 if the number is negative. */
uint64_t samples_of(const Sample &sample, size_t index);

} // namespace cli
