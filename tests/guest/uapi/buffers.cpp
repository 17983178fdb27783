// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/buffers.cpp  Memory that may hold counters, and memory that may not. */
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096, huge = 2 << 20;

uint64_t in_bss[1024];
uint64_t in_data[1024] = {0, 1};

/** A file system mounted on a new directory; both are removed at the end. */
class Mounted {
public:
	explicit Mounted(const std::string &type, const std::string &options = "")
	{
		char pattern[] = "/tmp/profil-XXXXXX";

		need_that(mkdtemp(pattern) != nullptr, "mkdtemp");
		path_ = pattern;
		const auto command = "mount -t " + type + " -o rw" + options + " " + source() + " " + path_;
		mounted_ = system(("exec >&2; " + command).c_str()) == 0;
	}
	Mounted(const Mounted &) = delete;
	Mounted &operator=(const Mounted &) = delete;
	~Mounted()
	{
		umount2(path_.c_str(), MNT_DETACH);
		std::filesystem::remove_all(path_);
		unlink(source().c_str());
	}

	explicit operator bool() const { return mounted_; }
	/** A new file of one page. */
	Fd file() const
	{
		Fd fd(need(open((path_ + "/file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), "a file"));

		need(ftruncate(fd.get(), page), "ftruncate");
		return fd;
	}
	static std::string source() { return "/tmp/profil-disk"; }

private:
	std::string path_;
	bool mounted_;
};

/** A mappable memory range of some PCI device. */
Fd device_memory()
{
	for (const auto &device : std::filesystem::directory_iterator("/sys/bus/pci/devices"))
		for (const char *name : {"resource4", "resource0", "resource1", "resource2"}) {
			const auto path = device.path() / name;
			Fd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
			if (fd.get() < 0 || std::filesystem::file_size(path) < page)
				continue;
			void *at = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
			if (at == MAP_FAILED)
				continue;
			munmap(at, page);
			return fd;
		}
	return Fd();
}

} // namespace

TEST_CASE_METHOD(AtRest, "counters may be on the stack, in data and in allocated memory", "[uapi][buffer]")
{
	volatile uint64_t on_stack = 0;

	check_counts_in(&on_stack);
	check_counts_in(&in_bss[512]);
	check_counts_in(&in_data[0]);
	check_counts_in(Memory(page), 8);
	check_counts_in(Memory(page, MAP_SHARED)); /* shmem */
	check_counts_in(Memory(page, MAP_POPULATE), page - 8);
}

TEST_CASE_METHOD(AtRest, "counters may be in a memfd, and its other mappings show them", "[uapi][buffer]")
{
	const Fd file(need(memfd_create("counters", MFD_CLOEXEC), "memfd_create"));

	need(ftruncate(file.get(), page), "ftruncate");
	const Memory shared(page, MAP_SHARED, file.get()), again(page, MAP_SHARED, file.get());
	check_counts_in(shared);
	CHECK(counter<uint64_t>(again) == counter<uint64_t>(shared));

	/* A private mapping of the file is a copy, like .data. */
	const Memory copy(page, MAP_PRIVATE, file.get());
	check_counts_in(copy);
	CHECK(counter<uint64_t>(copy) > counter<uint64_t>(shared));
}

TEST_CASE_METHOD(AtRest, "counters may be in transparent huge pages", "[uapi][buffer]")
{
	if (!kernel_has_huge_pages())
		support::skip("this kernel has no transparent huge pages");
	const auto always = always_huge_pages();
	const Memory memory(2 * huge);
	const auto aligned = (memory.address() + huge - 1) & -huge;
	auto *counters = reinterpret_cast<volatile uint64_t *>(aligned);

	counters[0] = 1;
	const auto smaps = read_file("/proc/self/smaps_rollup");
	CHECK(smaps.find("AnonHugePages:         0 kB") == std::string::npos);
	check_counts_in(&counters[0]);
	check_counts_in(&counters[page / 8 * 100 + 1]);
}

TEST_CASE_METHOD(AtRest, "counters may be in hugetlb pages, shared and private", "[uapi][buffer]")
{
	const Setting some("/proc/sys/vm/nr_hugepages", "2");

	REQUIRE(std::stoi(read_file("/proc/sys/vm/nr_hugepages")) == 2);
	const Memory shared(huge, MAP_SHARED | MAP_HUGETLB);
	check_counts_in(shared, page * 7);
	const Memory own(huge, MAP_PRIVATE | MAP_HUGETLB);
	check_counts_in(own, page * 7);
}

TEST_CASE_METHOD(AtRest, "a tick for a counter in a shared file of a file system turns the profile off",
		 "[uapi][buffer]")
{
	SECTION("in memory")
	{
		const Mounted ramfs("ramfs");
		REQUIRE(ramfs);
		const Fd file = ramfs.file();
		check_off_in(Memory(page, MAP_SHARED, file.get()).at());
		check_counts_in(Memory(page, MAP_PRIVATE, file.get()));
	}
	SECTION("on a disk")
	{
		const auto image = Mounted::source();
		const auto make = "truncate -s 8M " + image + " && mkfs.ext4 -q " + image +
				  " && { modprobe -q loop; modprobe -q ext4; true; }";
		REQUIRE(system(make.c_str()) == 0);
		const Mounted ext4("ext4", ",loop");
		if (!ext4)
			support::skip("this kernel has no ext4 or no loop devices");
		const Fd file = ext4.file();
		check_off_in(Memory(page, MAP_SHARED, file.get()).at());
		check_counts_in(Memory(page, MAP_PRIVATE, file.get()));
	}
}

TEST_CASE_METHOD(AtRest, "a tick for a counter in device memory turns the profile off", "[uapi][buffer]")
{
	const Fd resource = device_memory();
	REQUIRE(resource.get() >= 0);
	check_off_in(Memory(page, MAP_SHARED, resource.get()).at());

	/* The ring of a perf event is the kernel's own memory. */
	const Fd event = proof_of(0);
	const Memory ring(2 * page, MAP_SHARED, event.get());
	check_off_in(ring.at());
}

TEST_CASE_METHOD(AtRest, "a tick for a counter in secret memory turns the profile off", "[uapi][buffer]")
{
	const Fd file(static_cast<int>(syscall(SYS_memfd_secret, 0)));

	if (file.get() < 0)
		support::skip("this kernel has no memfd_secret(2), or it is disabled");
	need(ftruncate(file.get(), page), "ftruncate");
	const Memory secret(page, MAP_SHARED, file.get());
	check_off_in(secret.at());
}

TEST_CASE_METHOD(AtRest,
		 "a tick for a counter in a page that user space has to provide turns the profile off",
		 "[uapi][buffer]")
{
	const Fd faults(need(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)), "userfaultfd"));
	uffdio_api api = {};
	api.api = UFFD_API;
	need(ioctl(faults.get(), UFFDIO_API, &api), "UFFDIO_API");

	const Memory memory(page);
	uffdio_register range = {};
	range.range.start = memory.address();
	range.range.len = page;
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	need(ioctl(faults.get(), UFFDIO_REGISTER, &range), "UFFDIO_REGISTER");
	check_off_in(memory.at());

	/* The page is present now, so no fault waits for user space. */
	uffdio_zeropage zero = {};
	zero.range = range.range;
	need(ioctl(faults.get(), UFFDIO_ZEROPAGE, &zero), "UFFDIO_ZEROPAGE");
	*memory.at<volatile char>() = 0;
	check_counts_in(memory);
}
