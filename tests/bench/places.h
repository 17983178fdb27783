// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/places.h  Many mappings of text. */
#pragma once

namespace bench {

/** Maps this many pages of a file as text, each 1 MiB from the next and with the loop of burn(). */
void map_places(unsigned number);

/** Runs burn()'s loop in one of them. */
void burn_at(unsigned place, long n);

template <unsigned number> void make_places()
{
	map_places(number);
}

/** Runs in one mapping after the other, in each for so long as a sample takes to come. */
template <unsigned number> void burn_in_places()
{
	for (unsigned i = 0; i < 1000; i++)
		burn_at(i % number, 50'000);
}

} // namespace bench
