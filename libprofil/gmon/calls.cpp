// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon/calls.h"

#include "libprofil/mapping.h"

#include <cerrno>

namespace libprofil {

/* @table is the current table; @counting is the same, or nullptr while counting is off. */
static Calls *counting;
static Calls *table;

int begin_calls()
{
	table = static_cast<Calls *>(map_wiped_by_fork(sizeof(Calls)));
	switch_calls(true);
	return table ? 0 : ENOMEM;
}

void switch_calls(bool on)
{
	__atomic_store_n(&counting, on ? table : nullptr, __ATOMIC_RELEASE);
}

const Calls *counted_calls()
{
	return table;
}

static uint32_t chain_of(uintptr_t from, uintptr_t self)
{
	const uint64_t wide = self;
	const uint64_t mixed = (from ^ (wide << 23 | wide >> 41)) * 0x9e3779b97f4a7c15;

	return static_cast<uint32_t>(mixed >> 48);
}

/* Add 1 without floating-point registers: only they load 64 bits at once on i386. */
static void add_one(uint64_t &sum)
{
#ifdef __i386__
	uint64_t seen;

	/* A value that was torn fails the comparison. */
	do
		seen = static_cast<volatile uint64_t &>(sum);
	while (!__sync_bool_compare_and_swap(&sum, seen, seen + 1));
#else
	__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#endif
}

static bool count_known(Calls &calls, uint32_t place, uintptr_t from, uintptr_t self)
{
	for (; place; place = calls.call[place].next) {
		Call &call = calls.call[place];

		if (call.from == from && call.self == self) {
			add_one(call.count);
			return true;
		}
	}
	return false;
}

/* True in a child that a signal handler forked during count_new(): fork wiped its table. */
static bool is_wiped(const Calls &calls, uint32_t place)
{
	return __atomic_load_n(&calls.used, __ATOMIC_RELAXED) < place;
}

/* Two threads may both add the same call; readers of the table add up the counts. */
static void count_new(Calls &calls, uint32_t &first, uintptr_t from, uintptr_t self)
{
	uint32_t place = __atomic_load_n(&calls.used, __ATOMIC_RELAXED);

	if (place < Calls::most - 1)
		place = __atomic_add_fetch(&calls.used, 1, __ATOMIC_RELAXED);
	else
		place = Calls::most;
	if (place >= Calls::most) {
		add_one(calls.lost);
		return;
	}

	Call &call = calls.call[place];

	call.from = from;
	call.self = self;
	/* Publish the count last: the writer skips entries whose count is 0. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	add_one(call.count);
	call.next = __atomic_load_n(&first, __ATOMIC_RELAXED);
	while (!is_wiped(calls, place) && !__atomic_compare_exchange_n(&first, &call.next, place, true,
								       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

} // namespace libprofil

void libprofil_count_call(uintptr_t from, uintptr_t self)
{
	using namespace libprofil;

	Calls *const calls = __atomic_load_n(&counting, __ATOMIC_ACQUIRE);

	if (!calls)
		return;

	uint32_t &first = calls->first[chain_of(from, self)];

	if (!count_known(*calls, __atomic_load_n(&first, __ATOMIC_ACQUIRE), from, self))
		count_new(*calls, first, from, self);
}
