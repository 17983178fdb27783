// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/row_order.h"

#include "cli/rows/places.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace cli {
namespace {

/* At this depth of by_name(), names are compared as a whole. */
constexpr int deepest = 32;

/** Orders rows by a few bytes of their names at a time: most names have their beginning in common. */
class Order {
public:
	Order(const Places &places, const std::vector<PlaceSamples> &all) : places_(places), all_(all)
	{
		keys_.reserve(all.size());
		for (const PlaceSamples &one : all)
			keys_.push_back({one.samples, places.text(one.place.*names.front()), keys_.size()});
		std::sort(keys_.begin(), keys_.end(),
			  [](const Key &a, const Key &b) { return a.number > b.number; });
		for_each_run(keys_, [this](std::span<Key> keys) { by_name(keys, 0, 0); });
	}

	[[nodiscard]] std::vector<size_t> indices() const
	{
		std::vector<size_t> indices;

		indices.reserve(keys_.size());
		for (const Key &key : keys_)
			indices.push_back(key.index);
		return indices;
	}

private:
	struct Key {
		uint64_t number; /**< the samples, later the bytes of the name that are compared */
		std::string_view name;
		size_t index;
	};

	static constexpr std::array names = {&Place::function, &Place::inlined, &Place::object,
					     &Place::command, &Place::file};

	/** Calls @p act with each run of two or more keys that have the same number. */
	template <typename Act> static void for_each_run(std::span<Key> keys, Act act)
	{
		while (!keys.empty()) {
			size_t count = 1;

			while (count < keys.size() && keys[count].number == keys[0].number)
				count++;
			if (count > 1)
				act(keys.first(count));
			keys = keys.subspan(count);
		}
	}

	/** The length of the common prefix of all names, which is at least @p known. */
	static size_t common_length(std::span<const Key> keys, size_t known)
	{
		const std::string_view first = keys.front().name.substr(known);
		size_t length = first.size();

		for (const Key &key : keys.subspan(1)) {
			const std::string_view other = key.name.substr(known);
			size_t same = 0;

			length = std::min(length, other.size());
			while (same < length && first[same] == other[same])
				same++;
			length = same;
		}
		return known + length;
	}

	/** The next bytes of @p name as a number that sorts like the bytes. */
	static uint64_t bytes_at(std::string_view name, size_t at)
	{
		uint64_t number = 0;

		for (size_t i = 0; i < sizeof(number); i++)
			number = number << 8 |
				 (at + i < name.size() ? static_cast<unsigned char>(name[at + i]) : 0);
		return number;
	}

	/** Sorts keys with equal samples, whose names have their first @p known bytes in common. */
	void by_name(std::span<Key> keys, size_t known, int depth)
	{
		const size_t common = common_length(keys, known);

		/* Numbers do not distinguish a name's end here from zero bytes in another name. */
		if (depth == deepest || keys.front().name.size() == common) {
			std::sort(keys.begin(), keys.end(),
				  [this](const Key &a, const Key &b) { return before(a, b); });
			return;
		}
		for (Key &key : keys)
			key.number = bytes_at(key.name, common);
		std::sort(keys.begin(), keys.end(),
			  [](const Key &a, const Key &b) { return a.number < b.number; });
		for_each_run(keys, [&](std::span<Key> run) { by_name(run, common, depth + 1); });
	}

	[[nodiscard]] bool before(const Key &a, const Key &b) const
	{
		if (const int order = a.name.compare(b.name))
			return order < 0;
		return before(all_[a.index].place, all_[b.index].place);
	}

	[[nodiscard]] bool before(const Place &a, const Place &b) const
	{
		for (const auto name : names) {
			if (a.*name != b.*name)
				return places_.text(a.*name) < places_.text(b.*name);
		}
		return a < b;
	}

	const Places &places_;
	const std::vector<PlaceSamples> &all_;
	std::vector<Key> keys_;
};

} // namespace

std::vector<size_t> row_order(const Places &places, const std::vector<PlaceSamples> &all)
{
	return Order(places, all).indices();
}

} // namespace cli
