// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/names/shown_names.h  The names of a view: short, but distinct. */
#pragma once

#include "cli/base/text_store.h"

#include <array>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cli {

/** How a view writes names. */
enum class NameLength : unsigned char {
	Short,
	Full, /**< as demanglers write them (--full-names) */
};

/**
 * The names that a view shows for its functions.  Each is the first of these forms that is unique
 * in the view: short_name(), with all template arguments, with the parameters, the whole name.  Add
 * all names before the first call of text().
 */
class ShownNames {
public:
	explicit ShownNames(NameLength length) : length_(length) {}

	/** @param name must outlive this object, as a name in a profile or its rows does. */
	void add(std::string_view name);

	/** @return a text that is valid as long as this object and @p name. */
	[[nodiscard]] std::string_view text(std::string_view name) const;

private:
	struct Users {
		std::string_view first; /**< the name that was added first */
		bool several = false;	/**< another name has the same text */
	};
	using Texts = std::pmr::unordered_map<std::string_view, Users>;
	using Shown = std::pmr::unordered_map<std::string_view, const Texts::value_type *>;

	const Texts::value_type *enter(size_t length, std::string_view text, std::string_view name);

	NameLength length_;
	TextStore store_;
	Shown shown_{store_.memory()}; /**< the longest text that each name has needed */
	/* From the shortest form to the longest; only names that share a text use the next one. */
	std::array<Texts, 3> texts_{Texts(store_.memory()), Texts(store_.memory()), Texts(store_.memory())};
};

} // namespace cli
