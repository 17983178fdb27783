// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/profile.h"

#include "libprofil/device.h"
#include "libprofil/gate.h"
#include "libprofil/scratch.h"
#include "libprofil/user_memory.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace libprofil {

/* Size of the first version of profil_spec.  Never changes. */
constexpr size_t spec_size_first = offsetof(profil_spec, sample_width) + sizeof(uint32_t);

/* No version is this large: a size above it is probably uninitialized. */
constexpr size_t spec_size_max = 4096;

uint64_t generation()
{
	return shared().changes.load(std::memory_order_relaxed);
}

static std::atomic<uint64_t> &start_of(Kind kind)
{
	return shared().start_of[static_cast<unsigned>(kind)];
}

void mark(Kind kind)
{
	start_of(kind).store(generation(), std::memory_order_relaxed);
}

bool is_marked(Kind kind)
{
	const uint64_t start = start_of(kind).load(std::memory_order_relaxed);

	return start && start == generation();
}

static bool is_zero(const unsigned char *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes[i])
			return false;
	return true;
}

int import_spec(const profil_spec *from, profil_spec &to)
{
	if (!from)
		return EFAULT;

	const auto *bytes = reinterpret_cast<const unsigned char *>(from);
	const size_t size = from->size;

	if (size < spec_size_first)
		return EINVAL;
	if (size > spec_size_max)
		return E2BIG;
	if (size > sizeof to && !is_zero(bytes + sizeof to, size - sizeof to))
		return E2BIG;
	to = {};
	memcpy(&to, bytes, size < sizeof to ? size : sizeof to);
	return 0;
}

profil_start start_command(const profil_spec &spec)
{
	profil_start start = {};

	start.size = sizeof start;
	start.flags = spec.flags;
	start.clock = spec.clock;
	start.limit_policy = spec.limit_policy;
	start.period = spec.period;
	start.limit = spec.limit;
	start.regions = reinterpret_cast<uintptr_t>(spec.regions);
	start.nr_regions = spec.nr_regions;
	start.region_size = spec.nr_regions ? sizeof *spec.regions : 0;
	start.overflow = reinterpret_cast<uintptr_t>(spec.overflow);
	start.overflow_width = spec.overflow_width;
	start.samples = reinterpret_cast<uintptr_t>(spec.samples);
	start.nr_samples = spec.nr_samples;
	start.sample_width = spec.sample_width;
	return start;
}

int start_unchecked(const profil_spec &spec, uint64_t *stored)
{
	Device device;

	if (const int error = device.open())
		return error;

	profil_start start = start_command(spec);
	profil_gate *const gate = next_gate();

	start.gate = reinterpret_cast<uintptr_t>(gate);

	const uint32_t value = std::atomic_ref(gate->value).load();
	const int error = device.sized(PROFIL_START, &start);

	if (error)
		return error;
	opened(gate, value);
	shared().changes.fetch_add(1, std::memory_order_relaxed);
	if (stored)
		*stored = start.stored;
	return 0;
}

/* Checks the first and last page only: a buffer may be sparse, and each tick checks its page. */
static int check_buffer(uint64_t start, uint64_t bytes)
{
	if (!bytes)
		return 0;

	const int error = make_writable(start);

	return error ? error : make_writable(start + bytes - 1);
}

static int check_counters(const profil_spec &spec)
{
	int error = 0;

	for (uint32_t i = 0; i < spec.nr_regions && spec.nr_regions <= regions_max && !error; i++)
		error = check_buffer(spec.regions[i].buffer, spec.regions[i].bytes);
	if (!error && spec.overflow)
		error = check_buffer(reinterpret_cast<uintptr_t>(spec.overflow), spec.overflow_width);
	if (!error && spec.samples)
		error = check_buffer(reinterpret_cast<uintptr_t>(spec.samples),
				     spec.nr_samples * spec.sample_width);
	return error;
}

int start_self(const profil_spec &spec, uint64_t *stored)
{
	const int error = check_counters(spec);

	return error ? error : start_unchecked(spec, stored);
}

/* Starts a profile with the regions copied to @p room, which is large enough. */
static int start_copied(const profil_spec &spec, profil_region *room, uint64_t *stored)
{
	profil_spec own = spec;

	if (const int error = copy_from_caller(room, spec.regions, spec.nr_regions * sizeof(profil_region)))
		return error;
	own.regions = room;
	return start_self(own, stored);
}

int start_callers(const profil_spec &spec, uint64_t *stored)
{
	profil_region few[4];

	/* Without regions there is nothing to copy, and the module refuses too many. */
	if (!spec.nr_regions || spec.nr_regions > regions_max)
		return start_self(spec, stored);
	if (spec.nr_regions <= std::size(few))
		return start_copied(spec, few, stored);

	const Scratch<profil_region> many(spec.nr_regions);

	return many ? start_copied(spec, many.get(), stored) : ENOMEM;
}

/* Used if no copy of this library has started a profile with a gate, or if membarrier() fails. */
static int stop_by_device(uint64_t *stored)
{
	Device device;
	const int error = device.open();

	return error ? error : device.stop(0, stored);
}

void stop_self(uint64_t *stored)
{
	uint64_t in_gate = 0, in_module = 0;

	shared().changes.fetch_add(1, std::memory_order_relaxed);

	const bool was = was_opened();

	if (!shut_gates(in_gate) || !was)
		/* Nothing is left to try if this fails, too. */
		(void)stop_by_device(&in_module);
	if (stored)
		*stored = in_gate ? in_gate : in_module;
}

int is_running(bool &running)
{
	Device device;
	profil_status status = {};

	if (const int error = device.open())
		return error;
	status.size = sizeof status;

	const int error = device.status(0, &status);

	running = !error && status.state == PROFIL_STATE_RUNNING;
	return error;
}

} // namespace libprofil
