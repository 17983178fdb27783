// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/cpu/counts.h"

namespace libprofil {

bool Counts::reserve(size_t more)
{
	size_t room = places_.size() ? places_.size() : 256;

	while (room / 2 < nr_ + more)
		room *= 2;
	if (room == places_.size())
		return true;

	Growing<Place> before;

	before.swap(places_);
	if (!places_.reserve(room)) {
		before.swap(places_);
		return false;
	}
	for (size_t i = 0; i < room; i++)
		places_.append({});
	nr_ = 0;
	for (const Place &place : before) {
		if (place.key)
			put(place);
	}
	return true;
}

void Counts::add(uint32_t text, uint64_t offset, uint64_t count)
{
	put({uint64_t{text + 1} << PROFIL_COUNT_SHIFT | offset, count});
}

void Counts::put(const Place &place)
{
	const size_t mask = places_.size() - 1;
	/* Offsets of hot instructions lie close together: spread them (Knuth's multiplicative hash). */
	size_t at = static_cast<size_t>((place.key * 0x9e3779b97f4a7c15ULL) >> 20) & mask;

	while (places_[at].key && places_[at].key != place.key)
		at = (at + 1) & mask;
	if (!places_[at].key)
		nr_++;
	places_[at].key = place.key;
	places_[at].count += place.count;
}

void Counts::clear()
{
	places_.clear();
	nr_ = 0;
}

} // namespace libprofil
