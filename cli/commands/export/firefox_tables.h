// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/export/firefox_tables.h
 * The tables of the Firefox Profiler's processed profile, version 58.
 *
 * Columns are arrays of equal length, rows are indices.  The format is described in
 * src/types/profile.ts of firefox-devtools/profiler, and changes between versions in
 * docs-developer/CHANGELOG-formats.md.
 */
#pragma once

#include "cli/rows/call_stack.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cli {

using FirefoxJson = nlohmann::ordered_json;

/** A table in that format: columns by name, and "length". */
class FirefoxTable {
public:
	explicit FirefoxTable(std::initializer_list<const char *> columns);

	/** Add a row, with cells in the order of the columns; returns the row's number. */
	size_t add(std::initializer_list<FirefoxJson> cells);
	/** The table as a JSON object.  This empties the table. */
	FirefoxJson take();

private:
	std::vector<std::pair<std::string, FirefoxJson>> columns_;
	size_t length_ = 0;
};

/** The data that all threads share: strings, sources, libraries. */
class FirefoxShared {
public:
	explicit FirefoxShared(const Profile &profile) : profile_(profile) {}

	size_t string(std::string_view text);
	/** The number of a source file; null if the file is unknown. */
	FirefoxJson source(std::string_view file);
	/** The number of a frame's library. */
	size_t library(const CallFrame &frame);

	[[nodiscard]] const Profile &profile() const { return profile_; }
	FirefoxJson take_libraries() { return std::move(libraries_); }
	/** profile.shared */
	FirefoxJson take_shared();

private:
	const Profile &profile_;
	std::map<std::string, size_t> string_numbers_;
	FirefoxJson strings_ = FirefoxJson::array();
	std::map<std::string, size_t> source_numbers_;
	FirefoxTable sources_{"uuid", "filename"};
	std::map<std::pair<std::string, std::string>, size_t> library_numbers_;
	FirefoxJson libraries_ = FirefoxJson::array();
};

/** A thread with its samples. */
class FirefoxThread {
public:
	/** @param interval the time between two samples, in ms. */
	FirefoxThread(FirefoxShared &shared, double interval) : shared_(&shared), interval_(interval) {}

	void add(const CountedStack &stack, const CallFrames &frames);
	/** The tables, as members of the thread's JSON object. */
	FirefoxJson take();

private:
	size_t resource(const CallFrame &frame);
	size_t function(const CallFrame &frame);
	size_t frame(const CallFrame &frame, size_t depth);
	size_t stack(std::optional<size_t> prefix, size_t frame);

	FirefoxShared *shared_;
	double interval_;
	uint64_t samples_so_far_ = 0;
	std::map<size_t, size_t> resource_numbers_;
	std::map<std::tuple<std::string, std::string, std::string>, size_t> function_numbers_;
	std::map<std::tuple<size_t, uint64_t, int64_t, size_t>, size_t> frame_numbers_;
	std::map<std::pair<std::optional<size_t>, size_t>, size_t> stack_numbers_;
	FirefoxTable samples_{"stack", "time", "weight"};
	FirefoxTable stacks_{"frame", "prefix"};
	FirefoxTable frames_{"address",	     "inlineDepth",   "category", "subcategory", "func",
			     "nativeSymbol", "innerWindowID", "line",	  "column"};
	FirefoxTable functions_{"name",	  "isJS",	"relevantForJS", "resource",
				"source", "lineNumber", "columnNumber"};
	FirefoxTable resources_{"lib", "name", "host", "type"};
};

} // namespace cli
