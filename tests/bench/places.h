// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/places.h  Many mappings of text. */
#pragma once

namespace bench {

/** Maps @p number pages of a file as text, 1 MiB apart, each with the loop of burn(). */
void map_places(unsigned number);

/** Runs burn()'s loop in one of the mappings. */
void burn_at(unsigned place, long n);

template <unsigned number> void make_places()
{
	map_places(number);
}

/** Runs the loop in each mapping in turn, each time for about one sampling period. */
template <unsigned number> void burn_in_places()
{
	for (unsigned i = 0; i < 1000; i++)
		burn_at(i % number, 50'000);
}

} // namespace bench
