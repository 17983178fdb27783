// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/places.h  Translates samples to places, which are quick to compare. */
#pragma once

#include "cli/base/text_store.h"
#include "cli/profile/profile.h"
#include "cli/rows/place.h"
#include "cli/rows/sort_key.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cli {

/**
 * The places of one profile; only differences that a column shows distinguish them.  The
 * profile may grow between calls, as long as the indices of its elements do not change.
 */
class Places {
public:
	/** @p profile must outlive this. */
	Places(const Profile &profile, std::span<const SortKey> columns);

	Place place_of(const Sample &sample);

	/** The name for a number in a Place. */
	[[nodiscard]] std::string_view text(uint32_t name) const { return texts_[name]; }

	/** The store that owns the texts. */
	[[nodiscard]] const std::shared_ptr<TextStore> &store() const { return store_; }

	/** The build-id of an object, by the number of its name; empty if it has none. */
	[[nodiscard]] std::string_view build_id(uint32_t object) const;

private:
	/** The numbers of a function's texts, or unknown_number. */
	struct Numbers {
		uint32_t name = unknown_number;
		uint32_t file = unknown_number;
	};

	static constexpr uint32_t unknown_number = UINT32_MAX;

	[[nodiscard]] bool shows(SortKey key) const { return shown_[static_cast<size_t>(key)]; }
	uint32_t number(std::string_view text);
	uint32_t function_number(const Location &location, size_t function);
	uint32_t file_number(size_t function);
	Numbers &numbers_of(size_t function);
	uint32_t object_number(const Location &location);
	Place look_up(const Location &location);
	Place unknown();

	const Profile &profile_;
	std::array<bool, sort_keys> shown_ = {}; /**< by SortKey */
	/** Holds copies of the texts, because a profile that grows may move its own. */
	std::shared_ptr<TextStore> store_ = std::make_shared<TextStore>();
	std::vector<std::string_view> texts_;
	std::pmr::unordered_map<std::string_view, uint32_t> numbers_{store_->memory()}; /**< in texts_ */
	std::vector<Numbers> by_function_;
	std::vector<std::optional<uint32_t>> by_mapping_;
	std::unordered_map<uint32_t, std::string_view> build_ids_;
};

} // namespace cli
