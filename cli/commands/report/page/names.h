// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/names.h  The texts of a page, each stored once. */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cli {

/** Numbers the texts of a page, which may come from untrusted files: printable, and cut if long. */
class HtmlNames {
public:
	/** @param longest the most columns of a text; longer texts are cut. */
	explicit HtmlNames(size_t longest) : longest_(longest) {}

	/** The number of a text; equal texts have the same number. */
	size_t number(std::string_view text);

	/**
	 * For each text, the length of the ASCII prefix that it shares with the text before it, and
	 * the rest.  Functions of one class share most of their names, and a browser reads a
	 * shorter page sooner.
	 */
	[[nodiscard]] const std::vector<size_t> &shared() const { return shared_; }
	[[nodiscard]] const std::vector<std::string> &rests() const { return rests_; }
	/** The bytes of all texts together. */
	[[nodiscard]] size_t bytes() const { return bytes_; }
	/** The number of texts that were cut. */
	[[nodiscard]] size_t cut() const { return cut_; }

private:
	size_t longest_;
	size_t bytes_ = 0;
	size_t cut_ = 0;
	std::string last_; /**< the text that was numbered last */
	std::vector<size_t> shared_;
	std::vector<std::string> rests_;
	std::unordered_map<std::string, size_t> numbers_;
};

} // namespace cli
