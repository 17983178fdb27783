// SPDX-License-Identifier: GPL-2.0-or-later
// Counters in memory of every kind: what it was before, who else holds it, and
// what may become of it meanwhile.
#include "tests/guest/support/places.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <linux/userfaultfd.h>
#include <memory>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096, huge = 2 << 20;

// A counter somewhere in a mapping; what happens to it happens to a unit of
// the mapping, as huge pages cannot be torn.
struct Place {
	std::unique_ptr<Memory> memory;
	volatile uint64_t *counter;
	size_t unit = page;

	void *start() const { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(counter) & -unit); }
};

Place place_in(std::unique_ptr<Memory> memory, size_t offset = 0, size_t unit = page)
{
	auto *counter = memory->at<volatile uint64_t>(offset);

	return {std::move(memory), counter, unit};
}

// A page between others, so that it may go without its neighbours.
Place anonymous()
{
	auto memory = std::make_unique<Memory>(3 * page);

	need(mprotect(memory->at(), page, PROT_NONE), "mprotect");
	need(mprotect(memory->at(2 * page), page, PROT_NONE), "mprotect");
	return place_in(std::move(memory), page);
}

Place in_file(int flags, Fd file, size_t bytes = 3 * page, size_t offset = page)
{
	need(ftruncate(file.get(), static_cast<off_t>(bytes)), "ftruncate");
	return place_in(std::make_unique<Memory>(bytes, flags, file.get()), offset);
}

Place shared()
{
	return place_in(std::make_unique<Memory>(3 * page, MAP_SHARED), page);
}

Fd memfd()
{
	return Fd(need(memfd_create("counters", MFD_CLOEXEC), "memfd_create"));
}

Place shared_file()
{
	return in_file(MAP_SHARED, memfd());
}

Place private_file()
{
	return in_file(MAP_PRIVATE, memfd());
}

Place transparent_huge()
{
	const auto always = always_huge_pages();
	auto memory = std::make_unique<Memory>(3 * huge);
	const auto aligned = ((memory->address() + huge - 1) & -huge) - memory->address();

	memset(memory->at(aligned), 0, huge);
	return place_in(std::move(memory), aligned + 7 * page);
}

Place shared_huge()
{
	return place_in(std::make_unique<Memory>(huge, MAP_SHARED | MAP_HUGETLB), 7 * page, huge);
}

struct Kind {
	const char *name;
	Place (*make)();
};

const Kind kinds[] = {
	{"anonymous memory", anonymous},   {"shared anonymous memory", shared},
	{"a shared file", shared_file},	   {"a private file", private_file},
	{"a huge page", transparent_huge}, {"a page of hugetlbfs", shared_huge},
};

struct Disaster {
	const char *name;
	void (*strike)(const Place &place);
};

const Disaster disasters[] = {
	{"munmap", [](const Place &p) { need(munmap(p.start(), p.unit), "munmap"); }},
	{"mprotect", [](const Place &p) { need(mprotect(p.start(), p.unit, PROT_READ), "mprotect"); }},
	{"mremap",
	 [](const Place &p) {
		 // To a place that is a multiple of the unit and nobody's.
		 auto *to = reinterpret_cast<void *>(uintptr_t{0x20000000});
		 need_that(mremap(p.start(), p.unit, p.unit, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to,
			   "mremap");
		 need(munmap(to, p.unit), "munmap");
	 }},
	{"another mapping",
	 [](const Place &p) {
		 const Fd file = memfd();
		 need(ftruncate(file.get(), static_cast<off_t>(p.unit)), "ftruncate");
		 const Memory other(p.start(), p.unit, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
				    file.get());
	 }},
};

// Two huge pages to be had, for as long as a test takes.
struct HugePages {
	const Setting some{"/proc/sys/vm/nr_hugepages", "2"};
};

// Every way in which an address becomes one to count at.
const struct {
	const char *name;
	profil_start (*describe)(const volatile void *at);
} ways[] = {
	{"a region", [](const volatile void *at) { return describe(region_on(at)); }},
	{"the overflow counter",
	 [](const volatile void *at) {
		 auto how = describe(std::span<const profil_region>());
		 how.regions = how.region_size = 0;
		 how.overflow = reinterpret_cast<uintptr_t>(at);
		 how.overflow_width = 8;
		 return how;
	 }},
	{"the samples", [](const volatile void *at) { return describe_samples(const_cast<void *>(at), 1); }},
};

void check_refused(const volatile void *at)
{
	const Device device;

	for (const auto &way : ways) {
		auto how = way.describe(at);
		CAPTURE(way.name);
		CHECK(device.call(PROFIL_START, &how) == EFAULT);
	}
	auto how = describe(region_on(at));
	const Fd proof = proof_of(getpid());
	how.proof = proof.get();
	CHECK(device.call(PROFIL_ATTACH, &how) == EFAULT);
	CHECK(locked_bytes() == 0);
}

void check_refused(const Memory &memory, size_t offset = 0)
{
	check_refused(memory.at(offset));
}

// userfaultfd(2) on a range, in one of its modes; or not, on this kernel.
class Faults {
public:
	Faults(const void *at, size_t bytes, uint64_t mode)
		: fd_(need(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)), "userfaultfd"))
	{
		uffdio_api api = {};
		uffdio_register range = {};

		api.api = UFFD_API;
		need(ioctl(fd_.get(), UFFDIO_API, &api), "UFFDIO_API");
		range.range.start = reinterpret_cast<uintptr_t>(at);
		range.range.len = bytes;
		range.mode = mode;
		registered_ = ioctl(fd_.get(), UFFDIO_REGISTER, &range) == 0;
	}

	explicit operator bool() const { return registered_; }
	void bring_zeroes(void *at) const
	{
		uffdio_zeropage where = {};

		where.range.start = reinterpret_cast<uintptr_t>(at);
		where.range.len = page;
		need(ioctl(fd_.get(), UFFDIO_ZEROPAGE, &where), "UFFDIO_ZEROPAGE");
	}
	void protect(void *at, bool writes) const
	{
		uffdio_writeprotect how = {};

		how.range.start = reinterpret_cast<uintptr_t>(at);
		how.range.len = page;
		how.mode = writes ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
		need(ioctl(fd_.get(), UFFDIO_WRITEPROTECT, &how), "UFFDIO_WRITEPROTECT");
	}

private:
	Fd fd_;
	bool registered_;
};

// A mapping of this process, by its name in /proc/self/maps; NULL if there is none.
void *mapping_named(const std::string &name)
{
	std::istringstream maps(read_file("/proc/self/maps"));

	for (std::string line; std::getline(maps, line);)
		if (line.ends_with(name))
			return reinterpret_cast<void *>(std::stoull(line, nullptr, 16));
	return nullptr;
}

bool swapped_out(const volatile void *at)
{
	const Fd map(need(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), "pagemap"));
	uint64_t entry;

	need_that(pread(map.get(), &entry, 8,
			static_cast<off_t>(reinterpret_cast<uintptr_t>(at) / page * 8)) == 8,
		  "an entry of pagemap");
	return entry >> 62 & 1;
}

// A disk of compressed memory to swap to.
class Swap {
public:
	Swap()
		: on_(system("exec >&2; modprobe -q zram && echo 16M >/sys/block/zram0/disksize && "
			     "mkswap -q /dev/zram0 && swapon /dev/zram0") == 0)
	{
	}
	Swap(const Swap &) = delete;
	Swap &operator=(const Swap &) = delete;
	~Swap()
	{
		if (on_ && system("exec >&2; swapoff /dev/zram0; echo 1 >/sys/block/zram0/reset"))
			dprintf(2, "cannot end swapping\n");
	}
	explicit operator bool() const { return on_; }

private:
	bool on_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "every kind of memory is counted in, and left when it goes away", "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const HugePages pages;

	for (const Kind &kind : kinds)
		for (const Disaster &disaster : disasters) {
			const Place place = kind.make();

			CAPTURE(kind.name, disaster.name);
			device.start(describe(region_on(place.counter)));
			check_counts_on(device, burner, place.counter);
			disaster.strike(place);
			const auto status = device.status();
			CHECK(status.state == PROFIL_STATE_FAULT);
			CHECK(status.pinned == 0);
			CHECK(locked_bytes() == 0);
			burner.burn(counted_text, 2'000'000);
			CHECK(device.status().counted == status.counted);
			device.stop();
		}
}

TEST_CASE_METHOD(AtRest, "a counter of any kind that is dropped goes on where the program finds it next",
		 "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const HugePages pages;

	for (const Kind &kind : kinds)
		for (const int advice : {MADV_DONTNEED, MADV_REMOVE, MADV_PAGEOUT, MADV_COLD, MADV_FREE}) {
			const Place place = kind.make();

			CAPTURE(kind.name, advice);
			device.start(describe(region_on(place.counter)));
			check_counts_on(device, burner, place.counter);
			madvise(place.start(), place.unit, advice); // not all are for all
			CHECK(device.status().state == PROFIL_STATE_RUNNING);
			check_counts_on(device, burner, place.counter);
			CHECK(device.status().pinned == page);
			device.stop();
		}
}

TEST_CASE_METHOD(AtRest, "counters may be in memory that nobody has written yet", "[uapi][buffer]")
{
	SECTION("the page of zeroes")
	{
		const Memory memory(page);
		CHECK(*memory.at<volatile uint64_t>() == 0);
		check_counts_in(memory);
	}
	SECTION("the huge page of zeroes")
	{
		const auto always = always_huge_pages();
		const Memory memory(3 * huge);
		const auto aligned = ((memory.address() + huge - 1) & -huge) - memory.address();
		CHECK(*memory.at<volatile uint64_t>(aligned) == 0);
		check_counts_in(memory, aligned + 5 * page);
		CHECK(*memory.at<volatile uint64_t>(aligned + 6 * page) == 0);
	}
	SECTION("a hole of a file")
	{
		const Place place = shared_file();
		check_counts_in(place.counter);
	}
	SECTION("memory that is not reserved")
	{
		check_counts_in(Memory(page, MAP_NORESERVE));
	}
	SECTION("/dev/zero")
	{
		const Fd zero(need(open("/dev/zero", O_RDWR | O_CLOEXEC), "/dev/zero"));
		check_counts_in(Memory(page, MAP_SHARED, zero.get()));
		check_counts_in(Memory(page, MAP_PRIVATE, zero.get()));
	}
}

TEST_CASE_METHOD(AtRest, "counters may be in a heap, a thread's stack and System V's memory",
		 "[uapi][buffer]")
{
	SECTION("the heap")
	{
		auto *end = static_cast<volatile uint64_t *>(sbrk(page));
		check_counts_in(end);
		sbrk(-static_cast<intptr_t>(page));
	}
	SECTION("a stack that grows")
	{
		check_counts_in(Memory(8 * page, MAP_GROWSDOWN | MAP_STACK), 4 * page);
	}
	SECTION("a thread's stack")
	{
		pthread_t thread;
		const auto count = [](void *) -> void * {
			volatile uint64_t here = 5;
			check_counts_in(&here);
			return nullptr;
		};
		REQUIRE(pthread_create(&thread, nullptr, count, nullptr) == 0);
		REQUIRE(pthread_join(thread, nullptr) == 0);
	}
	SECTION("System V's")
	{
		const HugePages pages;

		if (!std::filesystem::exists("/proc/sysvipc/shm")) {
			WARN("this kernel has no shared memory of System V's");
			return;
		}
		for (const int flags : {0, SHM_HUGETLB}) {
			const int id = need(shmget(IPC_PRIVATE, huge, IPC_CREAT | 0600 | flags), "shmget");
			auto *at = static_cast<volatile uint64_t *>(shmat(id, nullptr, 0));
			need(shmctl(id, IPC_RMID, nullptr), "IPC_RMID");
			check_counts_in(at + 9);
			shmdt(const_cast<uint64_t *>(at));
		}
	}
	SECTION("a file of the guest's disk, which is in memory")
	{
		const std::string path = "/var/tmp/profil-counters";
		Fd file(need(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path.c_str()));
		unlink(path.c_str());
		const Place place = in_file(MAP_SHARED, std::move(file));
		check_counts_in(place.counter);
	}
}

TEST_CASE_METHOD(AtRest, "counters may be in memory that is treated in a special way", "[uapi][buffer]")
{
	const Memory memory(page);

	SECTION("locked")
	{
		const Device device;
		const Burner burner;
		need(mlock(memory.at(), page), "mlock");
		CHECK(locked_bytes() == page);
		device.start(describe(region_on(memory.at())));
		CHECK(locked_bytes() == 2 * page);
		need(munlock(memory.at(), page), "munlock");
		CHECK(locked_bytes() == page);
		check_counts_on(device, burner, memory.at<volatile uint64_t>());
		device.stop();
		CHECK(locked_bytes() == 0);
	}
	SECTION("advised")
	{
		for (const int advice :
		     {MADV_DONTFORK, MADV_WIPEONFORK, MADV_MERGEABLE, MADV_HUGEPAGE, MADV_DONTDUMP}) {
			CAPTURE(advice);
			madvise(memory.at(), page, advice);
			check_counts_in(memory);
		}
	}
	SECTION("executable")
	{
		need(mprotect(memory.at(), page, PROT_READ | PROT_WRITE | PROT_EXEC), "mprotect");
		check_counts_in(memory);
	}
	SECTION("write-only")
	{
		need(mprotect(memory.at(), page, PROT_WRITE), "mprotect");
		check_counts_in(memory);
	}
}

TEST_CASE_METHOD(AtRest, "counters that were swapped out come back", "[uapi][buffer]")
{
	const Swap swap;
	const Memory memory(page);
	auto *counter = memory.at<volatile uint64_t>();

	if (!swap) {
		WARN("this kernel has no zram");
		return;
	}
	*counter = 7;
	REQUIRE(soon([&] {
		madvise(memory.at(), page, MADV_PAGEOUT);
		return swapped_out(counter);
	}));
	check_counts_in(memory);
	CHECK(*counter > 7);

	// Not while they are counted in.
	const Device device;
	const Burner burner;
	device.start(describe(region_on(counter)));
	for (int i = 0; i < 10; i++) {
		madvise(memory.at(), page, MADV_PAGEOUT);
		CHECK_FALSE(swapped_out(counter));
		check_counts_on(device, burner, counter);
	}
	device.stop();
}

TEST_CASE_METHOD(AtRest, "counters in a merged page are the program's own again", "[uapi][buffer]")
{
	if (!std::filesystem::exists("/sys/kernel/mm/ksm/run")) {
		WARN("this kernel does not merge pages");
		return;
	}
	const Setting eager("/sys/kernel/mm/ksm/pages_to_scan", "10000");
	const Setting busy("/sys/kernel/mm/ksm/sleep_millisecs", "1");
	const Setting running("/sys/kernel/mm/ksm/run", "1");
	const Memory memory(2 * page);
	auto *counter = memory.at<volatile uint64_t>(), *other = memory.at<volatile uint64_t>(page);

	memset(memory.at(), 0x5a, 2 * page);
	need(madvise(memory.at(), 2 * page, MADV_MERGEABLE), "MADV_MERGEABLE");
	REQUIRE(soon([] { return std::stoull(read_file("/sys/kernel/mm/ksm/pages_sharing")) > 0; }));
	check_counts_in(memory);
	CHECK(*counter != *other);
	CHECK(*other == 0x5a5a5a5a5a5a5a5a);
	need(madvise(memory.at(), 2 * page, MADV_UNMERGEABLE), "MADV_UNMERGEABLE");
}

TEST_CASE_METHOD(AtRest, "a huge page may be torn and joined under its counters", "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const Place place = transparent_huge();
	auto *start = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(place.start()) & -huge);

	device.start(describe(region_on(place.counter)));
	check_counts_on(device, burner, place.counter);
	// Neighbours within it become others' mappings, go, and return.
	mprotect(start, page, PROT_READ);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	check_counts_on(device, burner, place.counter);
	madvise(start + 9 * page, 100 * page, MADV_DONTNEED);
	check_counts_on(device, burner, place.counter);
	munmap(start + huge / 2, page);
	check_counts_on(device, burner, place.counter);
	mprotect(start, page, PROT_READ | PROT_WRITE);
	memset(start + 9 * page, 1, 100 * page);
	madvise(start, huge, 25); // MADV_COLLAPSE, which may find the page pinned
	write_file("/proc/sys/vm/compact_memory", "1");
	check_counts_on(device, burner, place.counter);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "counters may be in pages that another has pinned, and leave them to him",
		 "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const Memory memory(2 * page);
	auto *counter = memory.at<volatile uint64_t>();
	const auto pinned = pinned_in_kernel();
	io_uring ring;
	const iovec buffer = {memory.at(), 2 * page};

	need_that(!io_uring_queue_init(2, &ring, 0), "io_uring_queue_init");
	need_that(!io_uring_register_buffers(&ring, &buffer, 1), "io_uring_register_buffers");
	CHECK(pinned_in_kernel() == pinned + 2);
	check_counts_in(device, burner, counter);
	CHECK(pinned_in_kernel() == pinned + 2);

	device.start(describe(region_on(counter)));
	CHECK(pinned_in_kernel() == pinned + 3);
	need_that(!io_uring_unregister_buffers(&ring), "io_uring_unregister_buffers");
	CHECK(soon([&] { return pinned_in_kernel() == pinned + 1; }));
	check_counts_on(device, burner, counter);
	// Registered anew, what the kernel reads there is what we count.
	need_that(!io_uring_register_buffers(&ring, &buffer, 1), "io_uring_register_buffers");
	check_counts_on(device, burner, counter);
	device.stop();
	io_uring_queue_exit(&ring);
	CHECK(soon([&] { return pinned_in_kernel() == pinned; }));
}

TEST_CASE_METHOD(AtRest, "many profiles may count in one page, and in one counter", "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const Memory memory(page, MAP_SHARED);

	// Its own one, and one that is attached to it.
	const Fd proof = proof_of(getpid());
	device.start(describe(region_on(memory.at())));
	const auto attached = device.attach(describe(region_on(memory.at())), proof.get());
	CHECK(module_stat("pinned_pages") == 2);
	burn_ticks(device, burner, counted_text, 3);
	burn_ticks(device, burner, counted_text, 3, &profil_status::counted, attached);
	CHECK(counter<uint64_t>(memory) == device.status().counted + device.status(attached).counted);
	device.stop(attached);
	device.stop();

	// And those of other processes, at the same time.
	*memory.at<volatile uint64_t>() = 0;
	const auto count = [&] {
		device.start(describe(region_on(memory.at())));
		burn_ticks(device, burner, counted_text, 50);
		const auto counted = device.status().counted;
		device.stop();
		return counted;
	};
	ChildOf<uint64_t> one(count), another(count), third(count);
	const auto sum = one.result() + another.result() + third.result();
	CHECK(counter<uint64_t>(memory) == sum);
}

TEST_CASE_METHOD(AtRest, "one buffer may be in mappings of several kinds", "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const Memory memory(3 * page);
	const Fd file = memfd();
	const Memory middle(memory.at(page), page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
			    Fd(need(open("/bin/true", O_RDONLY | O_CLOEXEC), "/bin/true")).get());
	need(ftruncate(file.get(), page), "ftruncate");
	const Memory last(memory.at(2 * page), page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			  file.get());
	const auto region = each_address(counted_text, counted_text + 3 * page / 8, memory.at(), 8);

	memset(memory.at(), 0, 3 * page);
	device.start(describe(region));
	CHECK(device.status().pinned == 3 * page);
	for (const uintptr_t at : {0, 600, 1100}) {
		const auto ticks = burn_ticks(device, burner, counted_text + at, 3);
		CHECK(counter<uint64_t>(memory, at) + counter<uint64_t>(memory, at + CODE_LOOP_RETURN) ==
		      ticks);
	}
	// One of them is enough to turn it off.
	mprotect(memory.at(page), page, PROT_READ);
	CHECK(device.status().state == PROFIL_STATE_FAULT);
	auto again = describe(region);
	CHECK(device.call(PROFIL_START, &again) == EFAULT);
	device.stop();
}

TEST_CASE_METHOD(AtRest,
		 "memory that cannot be counted in is refused in every place, and nothing else changes",
		 "[uapi][buffer]")
{
	SECTION("closed to writing")
	{
		check_refused(Memory(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
		check_refused(Memory(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1));
		check_refused(Memory(nullptr, page, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1));
	}
	SECTION("opened for reading")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Fd reader(need(
			open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY | O_CLOEXEC),
			"the memfd again"));
		check_refused(Memory(nullptr, page, PROT_READ, MAP_SHARED, reader.get()));
	}
	SECTION("beyond the end of its file")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Memory beyond(2 * page, MAP_SHARED, file.get());
		check_refused(beyond, page);
		const Memory own(2 * page, MAP_PRIVATE, file.get());
		check_refused(own, page);
		check_counts_in(beyond);
	}
	SECTION("the kernel's")
	{
		for (const char *name : {"[vdso]", "[vvar]"})
			if (const void *at = mapping_named(name))
				check_refused(at);
		check_refused(reinterpret_cast<void *>(0xffffffffff600000)); // [vsyscall]
		io_uring ring;
		need_that(!io_uring_queue_init(2, &ring, 0), "io_uring_queue_init");
		check_refused(ring.sq.sqes);
		check_refused(
			reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(ring.sq.ring_ptr) & -page));
		io_uring_queue_exit(&ring);
	}
	SECTION("a file of a network's")
	{
		const std::string path = "/run/profil/counters";
		const Fd file(need(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path.c_str()));
		need(ftruncate(file.get(), page), "ftruncate");
		void *at = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
		if (at != MAP_FAILED) { // without a cache it cannot
			check_refused(at);
			munmap(at, page);
		}
		unlink(path.c_str());
	}
	SECTION("while another profile runs")
	{
		const Device device;
		const Burner burner;
		const Memory good(page);
		const Memory bad(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		auto how = describe(region_on(bad.at()));

		device.start(describe(region_on(good.at())));
		CHECK(device.call(PROFIL_START, &how) == EFAULT);
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
		CHECK(locked_bytes() == page);
		check_counts_on(device, burner, good.at<volatile uint64_t>());
		device.stop();
		CHECK(counter<uint64_t>(good) > 0);
	}
}

TEST_CASE_METHOD(AtRest, "counters that a userfaultfd watches are refused only where it would be asked",
		 "[uapi][buffer]")
{
	SECTION("a shared page that is missing")
	{
		const Memory memory(page, MAP_SHARED);
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MISSING);
		REQUIRE(faults);
		check_refused(memory);
	}
	SECTION("a shared page that is there, but not mapped")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Memory other(page, MAP_SHARED, file.get()), memory(page, MAP_SHARED, file.get());
		*other.at<volatile uint64_t>() = 1;
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MINOR);
		if (!faults) {
			WARN("this kernel tells nobody of minor faults");
			return;
		}
		check_refused(memory);
		check_counts_in(other);
	}
	SECTION("zeroes that it has brought")
	{
		const Memory memory(page);
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MISSING);
		REQUIRE(faults);
		check_refused(memory);
		faults.bring_zeroes(memory.at());
		check_counts_in(memory);
		need(madvise(memory.at(), page, MADV_DONTNEED), "MADV_DONTNEED");
		check_refused(memory);
	}
	SECTION("a shared page that others have brought")
	{
		const Fd file = memfd();
		need(ftruncate(file.get(), page), "ftruncate");
		const Memory other(page, MAP_SHARED, file.get()), memory(page, MAP_SHARED, file.get());
		*other.at<volatile uint64_t>() = 1;
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_MISSING);
		REQUIRE(faults);
		check_counts_in(memory);
		CHECK(counter<uint64_t>(other) > 1);
	}
	SECTION("a page that must not be written")
	{
		const Device device;
		const Burner burner;
		const Memory memory(page);
		auto *counter = memory.at<volatile uint64_t>();
		*counter = 1;
		const Faults faults(memory.at(), page, UFFDIO_REGISTER_MODE_WP);
		if (!faults) {
			WARN("this kernel tells nobody of writes");
			return;
		}
		check_counts_in(device, burner, counter);
		faults.protect(memory.at(), true);
		const auto left = *counter;
		check_refused(memory);
		faults.protect(memory.at(), false);
		device.start(describe(region_on(counter)));
		check_counts_on(device, burner, counter);
		// While it is counted in: only for a moment, and for good.
		faults.protect(memory.at(), true);
		faults.protect(memory.at(), false);
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
		check_counts_on(device, burner, counter);
		faults.protect(memory.at(), true);
		CHECK(device.status().state == PROFIL_STATE_FAULT);
		const auto last = *counter;
		CHECK(last > left);
		burner.burn(counted_text, 2'000'000);
		CHECK(*counter == last);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "what happens to the memory takes effect within 100 ms of CPU time",
		 "[uapi][buffer][icount]")
{
	constexpr size_t block = page;
	const Device device;
	const Burner burner;
	const auto burn = [&](uint64_t ns) {
		const auto end = thread_ns() + ns;
		while (thread_ns() < end)
			Burner::spin(counted_text, 10 * slowness());
	};

	burner.plant_block(counted_text, block);
	for (const uint64_t period : {period_10khz, uint64_t{10'000'000}}) {
		for (const Disaster &disaster : disasters) {
			const Place place = anonymous();

			CAPTURE(disaster.name, period);
			device.start(describe(one_counter(counted_text, counted_text + block,
							  const_cast<uint64_t *>(place.counter), 8),
					      period));
			burn(50'000'000);
			CHECK(*place.counter > 0);
			CHECK(locked_bytes() == page);
			disaster.strike(place);
			burn(100'000'000);
			CHECK(locked_bytes() == 0);
			CHECK(module_stat("pinned_pages") == pages());
			CHECK(device.status().state == PROFIL_STATE_FAULT);
			device.stop();
		}
		const Place place = anonymous();
		CAPTURE(period);
		device.start(describe(one_counter(counted_text, counted_text + block,
						  const_cast<uint64_t *>(place.counter), 8),
				      period));
		burn(20'000'000);
		need(madvise(place.start(), page, MADV_DONTNEED), "MADV_DONTNEED");
		burn(100'000'000);
		const auto then = *place.counter;
		burn(30'000'000);
		CHECK(*place.counter > then);
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
		device.stop();
	}
}
