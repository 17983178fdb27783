// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/text_store.h  Copies of many texts. */
#pragma once

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <string_view>

namespace cli {

/** Holds copies of texts until it is destroyed, without allocating each one separately. */
class TextStore {
public:
	/** A copy of both texts, joined.  Its address is stable, even if the store is moved. */
	std::string_view keep(std::string_view text, std::string_view more = {})
	{
		char *const copy = static_cast<char *>(memory_->allocate(text.size() + more.size(), 1));

		std::copy(more.begin(), more.end(), std::copy(text.begin(), text.end(), copy));
		return {copy, text.size() + more.size()};
	}

	/** The memory of the texts, for tables that refer to them. */
	[[nodiscard]] std::pmr::memory_resource *memory() const { return memory_.get(); }

private:
	std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_ =
		std::make_unique<std::pmr::monotonic_buffer_resource>();
};

} // namespace cli
