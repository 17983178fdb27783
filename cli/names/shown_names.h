// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/names/shown_names.h  The names of a view: short, and yet told apart. */
#pragma once

#include <array>
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
 * The texts for the functions of a view.  Each is as short as it can be without reading like
 * that of another: short_name(), else with all template arguments, else with its parameters,
 * else whole.  All names must have
 * been added before the first text() is asked for.
 */
class ShownNames {
public:
	explicit ShownNames(NameLength length) : length_(length) {}

	/** @param name must outlive this, as in a profile or a row of it. */
	void add(std::string_view name);

	[[nodiscard]] std::string text(std::string_view name) const;

private:
	struct Users {
		std::string_view first; /**< the name that was added first */
		bool several = false;	/**< another name has the same text */
	};
	struct Shown {
		std::string brief;
		const Users *users = nullptr; /**< of the short name; none if that is the name */
	};
	using Texts = std::unordered_map<std::string, Users>;

	const Users &enter(size_t length, std::string text, std::string_view name);

	NameLength length_;
	std::unordered_map<std::string_view, Shown> shown_;
	std::array<Texts, 3> texts_; /**< from short to long; the longer ones of names that share a shorter */
};

} // namespace cli
