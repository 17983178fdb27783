// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/labels.h  The labels of samples. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/** An attribute of a sample: a text, or a number and its unit. */
struct Label {
	std::string key;
	std::string text;
	int64_t number = 0;
	std::string unit;

	bool operator==(const Label &) const = default;
};

/** The labels of a sample.  Copies share them, because most samples are of the same process. */
class Labels {
public:
	Labels() = default;
	Labels(std::vector<Label> all) // NOLINT(google-explicit-constructor): implicit on purpose
		: all_(all.empty() ? nullptr : std::make_shared<std::vector<Label>>(std::move(all)))
	{
	}
	Labels(std::initializer_list<Label> all) : Labels(std::vector<Label>(all)) {}

	[[nodiscard]] auto begin() const { return all().begin(); }
	[[nodiscard]] auto end() const { return all().end(); }
	[[nodiscard]] size_t size() const { return all().size(); }
	[[nodiscard]] bool empty() const { return all().empty(); }
	[[nodiscard]] const Label &operator[](size_t index) const { return all()[index]; }
	[[nodiscard]] const std::vector<Label> &all() const
	{
		static const std::vector<Label> none;

		return all_ ? *all_ : none;
	}

	/** The labels as a list of this sample's own, which may be changed. */
	std::vector<Label> &own()
	{
		if (!all_ || all_.use_count() > 1)
			all_ = std::make_shared<std::vector<Label>>(all());
		return *all_;
	}

	/** True if both share one list, so that the labels need not be compared. */
	[[nodiscard]] bool shares(const Labels &other) const { return all_ == other.all_; }
	bool operator==(const Labels &other) const { return shares(other) || all() == other.all(); }

private:
	std::shared_ptr<std::vector<Label>> all_; /**< nullptr: none */
};

} // namespace cli
