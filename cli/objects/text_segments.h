// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/text_segments.h  Which parts of an object are, or were, mapped to be executed. */
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cli {

/** TextSegment of an object that is, or was, mapped somewhere. */
struct TextSegment {
	uint64_t low = 0; /**< link-time address */
	uint64_t high = 0;
	uint64_t offset = 0; /**< of low, in the file; 0 for memory */
	auto operator<=>(const TextSegment &) const = default;
};

/**
 * The texts of one object.  Those that touch, and are of one piece in the file,
 * are one: memory that grows, and files that are mapped in parts.
 */
class TextSegments {
public:
	/** Beyond so many a text is added to its neighbour, with what is between them. */
	static constexpr size_t most = 65536;

	/** @param in_file has it an offset, or is it memory, whose addresses are all there is? */
	void add(TextSegment text, bool in_file);
	/** The one that holds an address, or NULL. */
	[[nodiscard]] const TextSegment *find(uint64_t address) const;
	/** All of them, ascending. */
	[[nodiscard]] std::vector<TextSegment> all() const;
	[[nodiscard]] size_t size() const { return size_; }

private:
	using Run = std::map<uint64_t, TextSegment>; /* by low; disjoint, and not touching */

	static void widen(TextSegment &text, const TextSegment &by, bool in_file);

	std::map<uint64_t, Run> runs_; /* by the distance from offset to address */
	size_t size_ = 0;
};

} // namespace cli
