// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/uapi_compat.c  A 32-bit program that uses a 64-bit kernel's /dev/profil.
 * It prints "ok", or the condition that failed.
 *
 *   uapi_compat count ADDRESS             a counter for each address
 *   uapi_compat everything ADDRESS        4 GiB of text in one region
 *   uapi_compat samples ADDRESS WIDTH     PCs of WIDTH bytes
 *   uapi_compat full                      an array of 4-byte PCs that fills up
 *   uapi_compat fork ADDRESS              a child inherits the profile
 *   uapi_compat record ADDRESS            record a child
 *   uapi_compat record-pid PID ADDRESS    record another process, which loops there
 *   uapi_compat errors                    refused commands
 *   uapi_compat ring                      a command through io_uring
 *   uapi_compat state N                   check that its self profile has state N
 *   uapi_compat burn ADDRESS              print a line, then loop there for ever
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/profil_record.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Compiles only if every structure has the same layout as on 64 bits. */
#include "tests/host/data/uapi-layout.c"

#include "tests/guest/programs/dummy_proof.h"
#include "tests/guest/programs/require.h"
#include "tests/guest/support/machine_code.h"

enum { PAGE = 4096, PERIOD = 100000, CHUNK = 500000 };

static int device;

/* No conversion through long, which would extend the sign. */
static uint64_t address_of(const volatile void *at)
{
	return (uintptr_t)at;
}

static int command(unsigned long number, void *structure)
{
	return ioctl(device, number, structure) ? errno : 0;
}

/* Map a loop and its return. */
static void plant(uint64_t address)
{
	uintptr_t first = (uintptr_t)address & -PAGE,
		  last = (uintptr_t)(address + sizeof(code_loop) - 1) & -PAGE;
	void *at = mmap((void *)first, last - first + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	REQUIRE(at == (void *)first);
	memcpy((void *)(uintptr_t)address, code_loop, sizeof(code_loop));
	code_written((void *)(uintptr_t)address, sizeof(code_loop));
}

static void spin(uint64_t address, unsigned int times)
{
	code_run(address, times);
}

static struct profil_region region_on(uint64_t low, uint64_t high, const volatile void *buffer, uint64_t bytes,
				      unsigned int scale)
{
	struct profil_region region = {
		.low = low,
		.high = high,
		.offset = low,
		.buffer = address_of(buffer),
		.bytes = bytes,
		.scale = scale,
		.width = 4,
	};

	return region;
}

static struct profil_start describe(const struct profil_region *regions, unsigned int nr)
{
	struct profil_start how = {
		.size = sizeof(how),
		.period = PERIOD,
		.regions = address_of(regions),
		.nr_regions = nr,
		.region_size = nr ? sizeof(*regions) : 0,
	};

	return how;
}

static struct profil_status status_of(unsigned int profile)
{
	struct profil_status status = { .size = sizeof(status), .profile = profile };

	REQUIRE(command(PROFIL_STATUS, &status) == 0);
	REQUIRE(status.ticks == status.counted + status.outside + status.saturated + status.kernel +
					status.no_user_pc + status.off + status.lost_late +
					status.lost_contended + status.lost_full);
	return status;
}

static void stop(void)
{
	struct profil_stop how = { .size = sizeof(how) };

	REQUIRE(command(PROFIL_STOP, &how) == 0);
}

static uint32_t sum_of(const volatile uint32_t *counters, size_t nr)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += counters[i];
	return sum;
}

static void count(uint64_t address)
{
	static volatile uint32_t counters[66];
	const struct profil_region region =
		region_on(address - 16, address + 48, counters + 1, 64 * sizeof(counters[0]), 0x10000);
	struct profil_start how = describe(&region, 1);

	plant(address);
	REQUIRE(command(PROFIL_START, &how) == 0);
	while (status_of(0).counted < 20)
		spin(address, CHUNK);
	/* The loop and its return. */
	REQUIRE(counters[17] + counters[17 + CODE_LOOP_RETURN] == status_of(0).counted);
	REQUIRE(sum_of(counters, 66) == status_of(0).counted);
	REQUIRE(counters[17] >= 10);
	stop();
}

static void everything(uint64_t address)
{
	/* One counter for 512 KiB of text. */
	static volatile uint32_t counters[8192];
	struct profil_region region = region_on(0, 1ULL << 32, counters, sizeof(counters), 1);
	struct profil_start how;
	struct profil_status status;
	uint32_t sum;

	region.pre = 3;
	how = describe(&region, 1);
	plant(address);
	REQUIRE(command(PROFIL_START, &how) == 0);
	while (counters[address >> 19] < 20)
		spin(address, CHUNK);
	do {
		sum = sum_of(counters, 8192);
		status = status_of(0);
	} while (sum != sum_of(counters, 8192));
	REQUIRE(sum == status.counted);
	REQUIRE(status.outside == 0);
	stop();
}

static void samples(uint64_t address, unsigned int width)
{
	static volatile union {
		uint32_t word[66];
		uint64_t twice[33];
	} array;
	const struct profil_region elsewhere[] = {
		region_on(0, address, NULL, 0, 0),
		region_on(address + CODE_LOOP_RETURN + 1, UINT64_MAX, NULL, 0, 0),
	};
	struct profil_start how = describe(elsewhere, 2);
	struct profil_status status;

	memset((void *)&array, 0xa5, sizeof(array));
	how.samples = address_of(&array);
	how.sample_width = width;
	how.nr_samples = 32;
	plant(address);
	REQUIRE(command(PROFIL_START, &how) == 0);
	while ((status = status_of(0)).stored < 20)
		spin(address, CHUNK);
	REQUIRE(status.stored == status.counted);
	stop();
	for (unsigned int i = 0; i < 33; i++) {
		const uint64_t untouched = width == 4 ? 0xa5a5a5a5 : 0xa5a5a5a5a5a5a5a5;
		const uint64_t pc = width == 4 ? array.word[i] : array.twice[i];

		if (i < status.stored && i < 32)
			REQUIRE(pc == address || pc == address + CODE_LOOP_RETURN);
		else
			REQUIRE(pc == untouched);
	}
}

static void full(void)
{
	static volatile uint32_t array[10];
	struct profil_start how = describe(NULL, 0);
	struct profil_stop end = { .size = sizeof(end) };

	how.samples = address_of(array + 1);
	how.sample_width = 4;
	how.nr_samples = 8;
	how.regions = 0;
	REQUIRE(command(PROFIL_START, &how) == 0);
	while (status_of(0).state != PROFIL_STATE_FULL)
		;
	REQUIRE(status_of(0).stored == 8);
	REQUIRE(command(PROFIL_STOP, &end) == 0);
	REQUIRE(end.stored == 8);
	REQUIRE(array[0] == 0 && array[9] == 0);
	for (unsigned int i = 1; i < 9; i++)
		REQUIRE(array[i] != 0);
}

static void join(pid_t pid)
{
	int end;

	REQUIRE(waitpid(pid, &end, 0) == pid);
	REQUIRE(end == 0);
}

static void inherit(uint64_t address)
{
	static volatile uint32_t counter;
	const struct profil_region region = region_on(address, address + 2, &counter, 4, 0);
	struct profil_start how = describe(&region, 1);
	uint32_t before;
	pid_t pid;

	how.flags = PROFIL_FOLLOW;
	plant(address);
	REQUIRE(command(PROFIL_START, &how) == 0);
	while (status_of(0).counted < 5)
		spin(address, CHUNK);
	before = counter;
	pid = fork();
	if (!pid) {
		while (status_of(0).counted < 5)
			spin(address, CHUNK);
		REQUIRE(counter == before + status_of(0).counted);
		exit(0);
	}
	join(pid);
	REQUIRE(counter == before);
	REQUIRE(counter == status_of(0).counted);
	REQUIRE(status_of(0).forks_lost == 0);
	stop();
}

enum { COUNTS = 256 };
static volatile struct profil_count table[COUNTS] __attribute__((aligned(PAGE)));

static struct profil_describe described(uint32_t number)
{
	struct profil_describe about = { .size = sizeof(about), .profile = 1, .number = number };

	REQUIRE(command(PROFIL_DESCRIBE, &about) == 0);
	return about;
}

/* True if this key belongs to an element for the loop. */
static int of_loop(uint64_t key, uint64_t address)
{
	struct profil_describe text;

	if (!key)
		return 0;
	text = described(described(key >> PROFIL_COUNT_SHIFT).text);
	return text.kind == PROFIL_KIND_MEMORY &&
	       text.base + (key & ((1ULL << PROFIL_COUNT_SHIFT) - 1)) == address;
}

static uint64_t in_loop(uint64_t address)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < COUNTS; i++)
		sum += of_loop(table[i].key, address) ? table[i].count : 0;
	return sum;
}

/* Records a process, and kills it at the end. */
static void record(pid_t pid, uint64_t address)
{
	struct profil_record how = {
		.size = sizeof(how),
		.flags = PROFIL_FOLLOW,
		.proof = dummy_proof(pid),
		.period = PERIOD,
		.table = address_of(table),
		.nr_counts = COUNTS,
	};
	struct profil_stop end = { .size = sizeof(end), .flags = PROFIL_STOP_KEEP, .profile = 1 };
	struct profil_status status;
	uint64_t sum = 0;

	REQUIRE(command(PROFIL_RECORD, &how) == 0);
	REQUIRE(how.profile == 1);
	while (in_loop(address) < 5)
		usleep(10000);
	REQUIRE(kill(pid, SIGKILL) == 0);
	REQUIRE(command(PROFIL_STOP, &end) == 0);
	status = status_of(1);
	for (unsigned int i = 0; i < COUNTS; i++)
		sum += table[i].count;
	REQUIRE(sum == status.counted + status.kernel);
}

static void record_child(uint64_t address)
{
	pid_t pid = fork();
	int end;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		plant(address);
		for (;;)
			spin(address, CHUNK);
	}
	record(pid, address);
	REQUIRE(waitpid(pid, &end, 0) == pid);
}

static void errors(void)
{
	static uint32_t counter;
	static struct profil_region region;
	struct profil_start how;
	struct {
		struct profil_info info;
		uint32_t more[2];
	} longer = { .info.size = sizeof(struct profil_info) };

	REQUIRE(command(PROFIL_INFO, &longer) == 0);
	REQUIRE(longer.info.abi == PROFIL_ABI && longer.info.pages_max > 0);
	REQUIRE(command(PROFIL_STOP_ALL + 3, &longer) == ENOTTY);
	REQUIRE(command(PROFIL_INFO, NULL) == EFAULT);
	REQUIRE(command(PROFIL_INFO, (void *)0xfffffff0) == EFAULT);
	longer.info.size = 44;
	REQUIRE(command(PROFIL_INFO, &longer) == EINVAL);
	longer.info.size = sizeof(longer);
	REQUIRE(command(PROFIL_INFO, &longer) == 0);
	longer.more[1] = 1;
	REQUIRE(command(PROFIL_INFO, &longer) == E2BIG);

	region = region_on(0xc0000000, 0xc0000002, &counter, 4, 0);
	how = describe(&region, 1);
	how.regions |= 1ULL << 32;
	REQUIRE(command(PROFIL_START, &how) == EFAULT);
	how.regions = (uint64_t)(int64_t)INT32_MIN;
	REQUIRE(command(PROFIL_START, &how) == EFAULT);
	how = describe(&region, 1);
	plant(region.low);
	for (int i = 0; i < 2; i++) { /* beyond the program's memory */
		region.buffer = i ? 0xfffffff0 : address_of(&counter) | 1ULL << 32;
		REQUIRE(command(PROFIL_START, &how) == 0);
		while (status_of(0).state != PROFIL_STATE_FAULT)
			spin(region.low, CHUNK);
		REQUIRE(status_of(0).counted == 0 && counter == 0);
		stop();
	}
	how.sample_width = 4;
	REQUIRE(command(PROFIL_START, &how) == EINVAL);
	REQUIRE(status_of(0).state == PROFIL_STATE_NONE);
}

static void ring(void)
{
	struct io_uring_params params = { 0 };
	struct profil_info info = { .size = sizeof(info) };
	const struct profil_uring_cmd payload = { .arg = address_of(&info), .size = sizeof(info) };
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	char *rings;
	int fd = syscall(__NR_io_uring_setup, 1, &params);

	REQUIRE(fd >= 0);
	rings = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	REQUIRE(rings != MAP_FAILED && sqe != MAP_FAILED && (params.features & IORING_FEAT_SINGLE_MMAP));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = device;
	sqe->off = PROFIL_INFO; /* cmd_op */
	memcpy(&sqe->addr3, &payload, sizeof(payload));
	((uint32_t *)(rings + params.sq_off.array))[0] = 0;
	__atomic_store_n((uint32_t *)(rings + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	REQUIRE(syscall(__NR_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
	cqe = (struct io_uring_cqe *)(rings + params.cq_off.cqes);
	REQUIRE(__atomic_load_n((uint32_t *)(rings + params.cq_off.tail), __ATOMIC_ACQUIRE) == 1);
	REQUIRE(cqe->res == 0);
	REQUIRE(info.abi == PROFIL_ABI);
}

static void burn(uint64_t address)
{
	plant(address);
	puts("burning");
	fflush(stdout);
	/* End even if the test fails and leaves this process behind. */
	alarm(60);
	for (;;)
		spin(address, CHUNK);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const uint64_t last = argc > 2 ? strtoull(argv[argc - 1], NULL, 0) : 0;

	device = open("/dev/profil", O_RDWR | O_CLOEXEC);
	REQUIRE(device >= 0);
	if (!strcmp(what, "count") && argc == 3)
		count(last);
	else if (!strcmp(what, "everything") && argc == 3)
		everything(last);
	else if (!strcmp(what, "samples") && argc == 4)
		samples(strtoull(argv[2], NULL, 0), last);
	else if (!strcmp(what, "full") && argc == 2)
		full();
	else if (!strcmp(what, "fork") && argc == 3)
		inherit(last);
	else if (!strcmp(what, "record") && argc == 3)
		record_child(last);
	else if (!strcmp(what, "record-pid") && argc == 4)
		record(strtol(argv[2], NULL, 0), last);
	else if (!strcmp(what, "errors") && argc == 2)
		errors();
	else if (!strcmp(what, "ring") && argc == 2)
		ring();
	else if (!strcmp(what, "state") && argc == 3)
		REQUIRE(status_of(0).state == last);
	else if (!strcmp(what, "burn") && argc == 3)
		burn(last);
	else
		REQUIRE(!"known");
	puts("ok");
	return 0;
}
