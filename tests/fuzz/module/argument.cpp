// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/argument.h"

#include "tests/fuzz/module/arena.h"
#include "tests/fuzz/module/shared.h"

#include <cstring>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fuzz {

namespace {

profil_region make_region(Random &random, uint64_t &low)
{
	static const uint8_t widths[] = {2, 4, 4, 4, 8};
	profil_region region = {};

	region.width = random.pick(widths);
	region.low = low;
	/* The whole address space, or a part of the program. */
	region.high = low + (random.one_in(3) ? uint64_t{1} << 46 : random.between(1, 1 << 20));
	low = region.high + random.below(3) * 4096;
	region.offset = region.low - (random.one_in(4) ? random.below(region.low + 1) : 0);
	uint64_t bytes = random.one_in(4) ? region.width : random.below(Arena::slot_bytes);
	region.buffer = Arena::place(random, region.width, bytes);
	region.bytes = bytes;
	region.scale = random.one_in(3) ? 0 : static_cast<uint32_t>(random.any_size());
	region.pre = static_cast<uint8_t>(random.below(4));
	region.bias = static_cast<uint8_t>(random.below(2));
	region.post = static_cast<uint8_t>(random.below(4));
	return region;
}

uint32_t make_regions(Random &random, Regions &regions)
{
	static const uint64_t starts[] = {0, 1, 0x400000, 0x550000000000, 0x7f0000000000};
	const auto nr = static_cast<uint32_t>(random.one_in(4) ? random.between(1, Regions::most)
							       : random.between(1, 3));
	uint64_t low = random.pick(starts);

	for (uint32_t i = 0; i < nr; i++)
		regions.region[i] = make_region(random, low);
	return nr;
}

void make_start(Random &random, profil_start &how, Regions &regions)
{
	static const uint64_t periods[] = {250'000, 500'000, 1'000'000, 1'000'000, 3'333'333, 10'000'000};

	how.size = sizeof(how);
	how.flags = static_cast<uint32_t>(random.below(PROFIL_FAULT_REGION << 1));
	how.clock = random.one_in(20) ? static_cast<uint32_t>(random.below(4)) : 0;
	how.limit_policy = static_cast<uint32_t>(random.one_in(2) ? random.below(3) : 0);
	how.limit = how.limit_policy ? random.any_size() : 0;
	how.period = random.one_in(30) ? random.below(20'000) : random.pick(periods);
	if (!random.one_in(5)) {
		how.nr_regions = make_regions(random, regions);
		how.regions = reinterpret_cast<uintptr_t>(regions.region);
		how.region_size = sizeof(profil_region);
	}
	uint64_t bytes = 8;
	if (random.one_in(3)) {
		how.overflow_width = 4;
		how.overflow = Arena::place(random, 8, bytes);
	} else if (!how.nr_regions || random.one_in(4)) {
		bytes = random.below(Arena::slot_bytes);
		how.sample_width = random.one_in(2) ? 4 : 8;
		how.samples = Arena::place(random, how.sample_width, bytes);
		how.nr_samples = bytes / how.sample_width;
	}
}

/* The threads share one file, which seldom has more than one profile. */
uint32_t any_profile(Random &random)
{
	return static_cast<uint32_t>(shared->together ? 1 + random.one_in(4) : random.between(1, 4));
}

/* The table begins after the bytes of the slot that must stay zero. */
template <typename T> void make_table(Random &random, T &structure)
{
	structure.table = Arena::start + random.below(Arena::slots) * Arena::slot_bytes + 4096;
	structure.nr_counts = 256U << random.below(3);
}

void make_record(Random &random, profil_record &record)
{
	record.proof = -1;
	record.flags = random.one_in(4) ? 0 : PROFIL_FOLLOW;
	if (random.one_in(3))
		record.flags |= PROFIL_RECORD_PROCESSES;
	if (random.one_in(4))
		record.flags |= PROFIL_RECORD_EVERYBODY;
	if (random.one_in(2))
		record.flags |= random.one_in(2) ? PROFIL_RECORD_KERNEL : PROFIL_KERNEL_TICKS;
	if (random.one_in(4))
		record.flags |= PROFIL_THREAD;
	if (random.one_in(6))
		record.flags |= PROFIL_RECORD_SELF;
	record.period = random.one_in(30) ? random.below(20'000) : 1'000'000;
	if (random.one_in(3)) {
		record.flags |= PROFIL_EVENT;
		record.period = random.below(100);
	}
	make_table(random, record);
}

void make_describe(Random &random, profil_describe &describe)
{
	describe.profile = any_profile(random);
	describe.number = static_cast<uint32_t>(random.below(40));
	if (describe.number && random.one_in(2))
		describe.flags = static_cast<uint32_t>(random.below(8));
	if (random.one_in(2)) {
		describe.path = Arena::start + random.below(Arena::slots) * Arena::slot_bytes + 4096;
		describe.path_size = static_cast<uint32_t>(random.between(1, 4096));
	}
}

} // namespace

uint32_t size_of(unsigned command)
{
	switch (command) {
	case PROFIL_INFO: return sizeof(profil_info);
	case PROFIL_START: return sizeof(profil_start);
	case PROFIL_STOP: return sizeof(profil_stop);
	case PROFIL_STATUS: return sizeof(profil_status);
	case PROFIL_RECORD: return sizeof(profil_record);
	case PROFIL_ADD: return sizeof(profil_add);
	case PROFIL_TABLE: return sizeof(profil_table);
	case PROFIL_WAIT: return sizeof(profil_wait);
	case PROFIL_DESCRIBE: return sizeof(profil_describe);
	default: return sizeof(profil_stop_all);
	}
}

void make(Random &random, unsigned command, Argument &argument, Regions &regions)
{
	memset(&argument, 0, sizeof(argument));
	memset(argument.canary, 0x5a, sizeof(argument.canary));
	argument.size = size_of(command);
	if (command == PROFIL_START)
		make_start(random, argument.start, regions);
	else if (command == PROFIL_RECORD)
		make_record(random, argument.record);
	else if (command == PROFIL_ADD)
		argument.add.profile = any_profile(random), argument.add.proof = -1;
	else if (command == PROFIL_TABLE)
		argument.table.profile = any_profile(random), make_table(random, argument.table);
	else if (command == PROFIL_WAIT)
		argument.wait.profile = any_profile(random),
		argument.wait.keys = static_cast<uint32_t>(random.between(1, 100));
	else if (command == PROFIL_DESCRIBE)
		make_describe(random, argument.describe);
	else if (command == PROFIL_STOP || command == PROFIL_STATUS)
		argument.status.profile = random.one_in(2) && !shared->together ? 0 : any_profile(random);
	if (command == PROFIL_STOP && argument.stop.profile && random.one_in(3))
		argument.stop.flags = PROFIL_STOP_KEEP;
}

void spoil(Random &random, Argument &argument, Regions &regions, uint32_t size)
{
	switch (random.below(4)) {
	case 0: argument.size = static_cast<uint32_t>(random.any_size()); break;
	case 1: argument.size += static_cast<uint32_t>(random.below(64)) - 32; break;
	case 2: argument.bytes[random.below(size)] ^= 1 << random.below(8); break;
	default:
		/* Do not change the counters' addresses: they could point anywhere. */
		regions.region[random.below(3)].scale = static_cast<uint32_t>(random.next());
		regions.region[random.below(3)].high = random.any_size();
		regions.region[random.below(3)].width = static_cast<uint8_t>(random.next());
	}
}

bool harmless(unsigned command, const Argument &argument, const Argument &before)
{
	if (command == PROFIL_RECORD)
		return argument.record.table == before.record.table &&
		       argument.record.nr_counts == before.record.nr_counts;
	if (command == PROFIL_TABLE)
		return argument.table.table == before.table.table &&
		       argument.table.nr_counts == before.table.nr_counts;
	if (command == PROFIL_DESCRIBE)
		return argument.describe.path == before.describe.path &&
		       argument.describe.path_size <= before.describe.path_size;
	if (command != PROFIL_START)
		return true;
	const auto &now = argument.start, &then = before.start;
	return now.overflow == then.overflow && now.samples == then.samples &&
	       now.nr_samples == then.nr_samples && now.sample_width == then.sample_width &&
	       now.overflow_width == then.overflow_width && now.regions == then.regions &&
	       now.nr_regions <= 2 * Regions::most;
}

/** A frequent event, or a hardware event, which fails without a PMU. */
static void make_event(Random &random, perf_event_attr &attr)
{
	static const uint64_t software[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
					    PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_CPU_CLOCK};

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = random.pick(software);
	attr.sample_period = 1 + random.below(100);
	if (random.one_in(4)) {
		attr.type = PERF_TYPE_BREAKPOINT;
		attr.config = 0;
		attr.bp_type = HW_BREAKPOINT_RW;
		attr.bp_len = HW_BREAKPOINT_LEN_8;
		attr.bp_addr = Arena::start + random.below(Arena::slots) * Arena::slot_bytes;
	} else if (random.one_in(8)) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = random.below(4);
	}
}

int make_proof(Random &random, pid_t target, bool everybody, bool event)
{
	/*
	 * The event is on a CPU if the proof is system-wide, else on a task; now and then it is the
	 * wrong way round.
	 */
	const bool cpu = everybody != random.one_in(20);
	perf_event_attr attr = {};

	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = random.one_in(2) ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_DUMMY;
	attr.sample_period = random.one_in(20) ? 0 : 1'000'000'000;
	attr.sample_type = random.one_in(20) ? 0 : PERF_SAMPLE_IP;
	if (event)
		make_event(random, attr);
	attr.disabled = 1;
	attr.inherit = random.one_in(20);
	attr.exclude_kernel = random.one_in(3);
	attr.exclude_user = random.one_in(20);
	return static_cast<int>(syscall(SYS_perf_event_open, &attr, cpu ? -1 : target, cpu ? 0 : -1, -1,
					PERF_FLAG_FD_CLOEXEC));
}

void *bad_pointer(Random &random)
{
	static const uint64_t pointers[] = {
		0, 1, 0x1000, 0x7fffffffeff8, 0x800000000000, 0xffffffff81000000, UINT64_MAX - 3};

	return reinterpret_cast<void *>(random.pick(pointers));
}

} // namespace fuzz
