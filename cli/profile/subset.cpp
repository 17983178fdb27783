// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/subset.h"

#include "cli/profile/about.h"

#include <optional>
#include <vector>

namespace cli {
namespace {

/** Copies elements of a list when they are first used. */
template <typename T> class Used {
public:
	Used(const std::vector<T> &from, std::vector<T> &to) : from_(from), to_(to), places_(from.size()) {}

	/** The new index of an element.  @param fresh is set if it was copied now. */
	size_t place(size_t index, bool &fresh)
	{
		fresh = !places_[index];
		if (fresh) {
			places_[index] = to_.size();
			to_.push_back(from_[index]);
		}
		return *places_[index];
	}

private:
	const std::vector<T> &from_;
	std::vector<T> &to_;
	std::vector<std::optional<size_t>> places_;
};

class Subset {
public:
	explicit Subset(const Profile &profile)
		: locations_(profile.locations, part_.locations),
		  functions_(profile.functions, part_.functions), mappings_(profile.mappings, part_.mappings)
	{
		About about;

		part_.sample_types = profile.sample_types;
		part_.default_sample_type = profile.default_sample_type;
		part_.time_nanos = profile.time_nanos;
		part_.duration_nanos = profile.duration_nanos;
		part_.period_type = profile.period_type;
		part_.period = profile.period;
		about.version = from_comments(profile.comments).version;
		if (!about.version.empty())
			part_.comments = to_comments(about);
	}

	void add(const Sample &sample)
	{
		Sample &copy = part_.samples.emplace_back(sample);

		for (size_t &location : copy.locations)
			location = location_of(location);
	}

	Profile take() { return std::move(part_); }

private:
	size_t location_of(size_t index)
	{
		bool fresh = false;
		const size_t place = locations_.place(index, fresh);

		if (!fresh)
			return place;

		Location &copy = part_.locations[place];

		if (copy.mapping)
			copy.mapping = mappings_.place(*copy.mapping, fresh);
		for (Line &line : copy.lines)
			line.function = functions_.place(line.function, fresh);
		return place;
	}

	Profile part_;
	Used<Location> locations_;
	Used<Function> functions_;
	Used<ProfileMapping> mappings_;
};

} // namespace

Profile subset(const Profile &profile, std::span<const size_t> samples)
{
	Subset part(profile);

	for (const size_t index : samples)
		part.add(profile.samples[index]);
	return part.take();
}

} // namespace cli
