// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/text_segments.h  The parts of an object that are, or were, mapped executable. */
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cli {

/** A part of an object that is, or was, mapped executable. */
struct TextSegment {
	uint64_t low = 0; /**< link-time address */
	uint64_t high = 0;
	uint64_t offset = 0; /**< file offset of low; 0 for anonymous memory */
	auto operator<=>(const TextSegment &) const = default;
};

/**
 * The text segments of one object.  Adjacent segments that are also contiguous in
 * the file are merged: memory that grows, and files that are mapped in parts.
 */
class TextSegments {
public:
	/** Beyond this number, a new segment is merged with its neighbour, including the gap. */
	static constexpr size_t most = 65536;

	/** @param in_file whether the segment has a file offset; false for anonymous memory. */
	void add(TextSegment text, bool in_file);
	/** The segment that contains an address, or nullptr. */
	[[nodiscard]] const TextSegment *find(uint64_t address) const;
	/** All segments, in ascending order. */
	[[nodiscard]] std::vector<TextSegment> all() const;
	[[nodiscard]] size_t size() const { return size_; }

private:
	using Run = std::map<uint64_t, TextSegment>; /* by low; disjoint and not adjacent */

	static void widen(TextSegment &text, const TextSegment &by, bool in_file);

	std::map<uint64_t, Run> runs_; /* by the difference of address and offset */
	size_t size_ = 0;
};

} // namespace cli
