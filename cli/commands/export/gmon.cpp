// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/commands/export/export.h"
#include "cli/rows/call_stack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

namespace cli {
namespace {

/* gprof's smallest counter covers two bytes of text; all counters of a file must cover as many. */
constexpr uint64_t counter_text = 2;

/* Size and alignment of a record's text, in bytes: small, as a hot counter needs many records. */
constexpr uint64_t record_text = 4096;
constexpr size_t record_counters = record_text / counter_text;

constexpr uint64_t count_max = UINT16_MAX;

constexpr uint64_t billion = 1'000'000'000;

/** An object by its path and build-id. */
using Key = std::pair<std::string_view, std::string_view>;

/** Samples by the number of their counter, which is address / counter_text. */
using Counters = std::map<uint64_t, uint64_t>;

struct Counted {
	uint64_t start = 0; /**< start of the object's first mapping */
	Counters counters;
};

uint32_t rate_of(const Profile &profile)
{
	const auto period = static_cast<uint64_t>(std::max<int64_t>(profile.period, 0));

	/* Use gprof's default if the profile has no rate. */
	if (!period || period > billion || profile.period_type.unit != "nanoseconds")
		return 100;
	return static_cast<uint32_t>((billion + period / 2) / period);
}

class Writer {
public:
	explicit Writer(uint32_t hz) : hz_(hz)
	{
		put("gmon", 4);
		put(uint32_t{1});
		content_.append(12, '\0');
	}

	/** @param low a multiple of record_text: the address where the histogram begins. */
	void put_record(uint64_t low, const std::array<uint16_t, record_counters> &counts)
	{
		content_ += '\0';
		put(low);
		put(low + record_text);
		put(static_cast<uint32_t>(counts.size()));
		put(hz_);
		put("seconds\0\0\0\0\0\0\0\0s", 16);
		put(counts.data(), sizeof counts);
	}

	[[nodiscard]] size_t size() const { return content_.size(); }
	std::string take() { return std::move(content_); }

private:
	void put(const void *bytes, size_t nr) { content_.append(static_cast<const char *>(bytes), nr); }
	template <typename Value> void put(const Value &value) { put(&value, sizeof value); }

	uint32_t hz_;
	std::string content_;
};

/**
 * The counters of record_text bytes of text.  A count that does not fit into a counter needs
 * several records: gprof adds up records of the same text.
 */
class Stretch {
public:
	explicit Stretch(uint64_t low) : low_(low) {}

	[[nodiscard]] uint64_t low() const { return low_; }
	[[nodiscard]] bool holds(uint64_t address) const
	{
		return address / record_text == low_ / record_text;
	}
	void add(uint64_t address, uint64_t samples)
	{
		uint64_t &count = counts_[address % record_text / counter_text];

		count = add_samples(count, samples);
	}

	/** Write the counters; false if the file would be too large. */
	[[nodiscard]] bool write(Writer &writer) const
	{
		uint64_t left = std::max<uint64_t>(*std::max_element(counts_.begin(), counts_.end()), 1);

		for (uint64_t before = 0; left; before += count_max) {
			if (writer.size() > export_bytes_max)
				return false;
			writer.put_record(low_, counts_after(before));
			left -= std::min(left, count_max);
		}
		return true;
	}

private:
	/** The rest of each count after the first @p before samples, which are already written. */
	[[nodiscard]] std::array<uint16_t, record_counters> counts_after(uint64_t before) const
	{
		std::array<uint16_t, record_counters> rest;

		std::transform(counts_.begin(), counts_.end(), rest.begin(), [before](uint64_t count) {
			return static_cast<uint16_t>(std::min(count - std::min(count, before), count_max));
		});
		return rest;
	}

	uint64_t low_;
	std::array<uint64_t, record_counters> counts_ = {};
};

Error too_large()
{
	return Error{
		"there are too many samples for files of gprof (use callgrind, which stores their number)"};
}

uint64_t record_of(uint64_t address)
{
	return address / record_text * record_text;
}

/* Even a file without samples has a record, because gprof needs its scale. */
Result<std::string> gmon_content(const Counted &counted, uint32_t hz)
{
	Writer writer(hz);
	Stretch stretch(record_of(counted.counters.empty() ? counted.start
							   : counted.counters.begin()->first * counter_text));
	bool fits = true;

	for (const auto &[counter, samples] : counted.counters) {
		const uint64_t address = counter * counter_text;

		if (!stretch.holds(address)) {
			fits = fits && stretch.write(writer);
			stretch = Stretch(record_of(address));
		}
		stretch.add(address, samples);
	}
	if (!fits || !stretch.write(writer))
		return too_large();
	return writer.take();
}

/** Unique file names. */
class FileNames {
public:
	/** If several objects have the same name, all but one get a number, as in libprofil. */
	std::string name_of(std::string_view object)
	{
		std::string plain = '.' + printable(base_name(object));

		std::replace(plain.begin(), plain.end(), '/', '_');

		size_t &number = numbers_.try_emplace(plain, 1).first->second;
		std::string name = plain;

		/* Another object's own name may end with that number. */
		while (!given_.insert(name).second)
			name = fmt::format("{}.{}", plain, ++number);
		return name;
	}

private:
	std::map<std::string, size_t> numbers_; /**< the last number tried for a name */
	std::set<std::string> given_;
};

class Objects {
public:
	explicit Objects(const Profile &profile) : profile_(profile)
	{
		if (!profile.mappings.empty())
			at(0);
		for (const CountedStack &stack : counted_stacks(profile))
			add(stack);
	}

	Result<GmonFiles> write() const
	{
		FileNames names;
		GmonFiles files;
		size_t bytes = 0;

		files.elsewhere = elsewhere_;
		for (const Key &key : order_) {
			GmonOut &file = files.files.emplace_back();
			Result<std::string> content = gmon_content(objects_.at(key), rate_of(profile_));

			if (content && (bytes += content->size()) > export_bytes_max)
				content = too_large();
			if (!content)
				return content.error();
			file.object = key.first;
			file.name = files.files.size() == 1 ? "" : names.name_of(key.first);
			for (const auto &[counter, samples] : objects_.at(key).counters)
				file.samples = add_samples(file.samples, samples);
			file.content = *std::move(content);
		}
		return files;
	}

private:
	Counted &at(size_t number)
	{
		const ProfileMapping &mapping = profile_.mappings[number];
		const Key key = {mapping.filename, mapping.build_id};
		const auto [place, fresh] = objects_.try_emplace(key);

		if (fresh) {
			place->second.start = mapping.start;
			order_.push_back(key);
		}
		return place->second;
	}

	void add(const CountedStack &stack)
	{
		const Location &leaf = profile_.locations[stack.locations.front()];

		/* At the very end of memory, the end address of a record would overflow. */
		if (!leaf.mapping || leaf.address > UINT64_MAX - record_text) {
			elsewhere_ = add_samples(elsewhere_, stack.samples);
			return;
		}

		uint64_t &samples = at(*leaf.mapping).counters[leaf.address / counter_text];

		samples = add_samples(samples, stack.samples);
	}

	const Profile &profile_;
	std::map<Key, Counted> objects_;
	std::vector<Key> order_;
	uint64_t elsewhere_ = 0;
};

} // namespace

Result<GmonFiles> export_gmon(const Profile &profile)
{
	return Objects(profile).write();
}

} // namespace cli
