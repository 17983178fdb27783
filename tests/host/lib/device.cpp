// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/device.cpp  libprofil without the module, and what it refuses by itself. */
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <pcsample.h>
#include <profil.h>
#include <profil/cpu.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

/** The result of a call, and errno after it. */
struct Answer {
	long value;
	int error;

	bool operator==(const Answer &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Answer &answer)
{
	return out << answer.value << " errno " << answer.error;
}

template <typename Call> Answer ask(Call call)
{
	errno = 0;
	const long value = static_cast<long>(call());

	return {value, errno};
}

const Answer no_device = {-1, ENODEV};

void need_no_device()
{
	if (!access("/dev/profil", F_OK))
		support::skip("this machine has /dev/profil");
}

profil_spec histogram(const profil_region &region)
{
	profil_spec spec = {};

	spec.size = sizeof spec;
	spec.period = 10'000'000;
	spec.regions = &region;
	spec.nr_regions = 1;
	return spec;
}

/* <unistd.h> declares the buffer as never NULL. */
auto *const call_profil = reinterpret_cast<int (*)(unsigned short *, size_t, size_t, unsigned)>(&profil);

} // namespace

extern "C" {
void profil_aix(void *, size_t, unsigned long, unsigned);
void profil_tru64(void *, size_t, unsigned long, unsigned long);
}

TEST_CASE("without /dev/profil turning profil on gives ENODEV, and off is no error", "[device]")
{
	alignas(8) unsigned short counters[8] = {};

	need_no_device();
	CHECK(ask([&] { return call_profil(counters, sizeof counters, 0, 0x10000); }) == no_device);
	CHECK(ask([&] { return call_profil(counters, sizeof counters, 0, 0); }) == Answer{0, 0});
	CHECK(ask([&] { return call_profil(counters, 0, 0, 0x10000); }) == Answer{0, 0});
	CHECK(ask([&] { return call_profil(nullptr, 0, 0, 0); }) == Answer{0, 0});
	for (const unsigned short counter : counters)
		CHECK(counter == 0);
}

TEST_CASE("without /dev/profil turning pcsample on gives ENODEV, and off is no error", "[device]")
{
	uintptr_t samples[4] = {};

	need_no_device();
	CHECK(ask([&] { return pcsample(samples, 4); }) == no_device);
	CHECK(ask([&] { return pcsample(samples, 0); }) == Answer{0, 0});
	CHECK(ask([&] { return pcsample(nullptr, 0); }) == Answer{0, 0});
}

TEST_CASE("without /dev/profil a CPU profile says ENODEV once, and nothing else happens", "[device]")
{
	profil_status status = {};

	need_no_device();
	status.size = sizeof status;
	CHECK(ask([] { return profil_cpu_start(nullptr); }) == no_device);
	CHECK(ask([] { return profil_cpu_stop(); }) == Answer{0, 0});
	CHECK(ask([] { return profil_cpu_pause(); }) == Answer{0, 0});
	CHECK(ask([] { return profil_cpu_resume(); }) == Answer{-1, ENOENT});
	CHECK(ask([] { return profil_cpu_thread(); }) == Answer{-1, ENOENT});
	CHECK(ask([] { return profil_cpu_write(1); }) == Answer{-1, ENOENT});
	CHECK(ask([&] { return profil_cpu_get_status(&status); }) == Answer{-1, ENOENT});
	CHECK(profil_cpu_scope().error() == ENODEV);
}

TEST_CASE("without /dev/profil PROFIL_CPU and CPUPROFILE say so, and programs run as always", "[device]")
{
	const std::string dir = support::build_dir();

	const support::TemporaryDirectory directory;

	need_no_device();
	std::ofstream(directory / "file") << "kept";
	for (const std::string &variables :
	     {"LD_PRELOAD=" + dir + "/libprofil.so.1 PROFIL_CPU=/nowhere/file",
	      "LD_PRELOAD=" + dir + "/gperftools/libprofiler.so.0 CPUPROFILE=" + (directory / "file")}) {
		const support::Output output = support::run(variables + " /bin/echo done");

		INFO(output.text);
		CHECK(output.status == 0);
		CHECK(output.text.find(": /dev/profil is missing: the module is not loaded") !=
		      output.text.npos);
		CHECK(output.text.ends_with("done\n"));
	}
	CHECK(support::run("cat " + (directory / "file")).text == "kept");
}

TEST_CASE("without /dev/profil every function for tools but one that stops gives ENODEV", "[device]")
{
	profil_region region = {};
	const profil_spec spec = histogram(region);
	profil_info info = {};
	profil_status status = {};
	uint64_t stored = 7;

	need_no_device();
	info.size = sizeof info;
	status.size = sizeof status;
	CHECK(ask([&] { return profil_get_info(&info); }) == no_device);
	CHECK(ask([&] { return profil_self_start(&spec, &stored); }) == no_device);
	CHECK(ask([&] { return profil_self_get_status(&status); }) == no_device);
	CHECK(ask([&] { return profil_all_stop(); }) == no_device);
	errno = 0;
	CHECK(profil_session_open() == nullptr);
	CHECK(errno == ENODEV);
	CHECK(stored == 7);
	CHECK(ask([&] { return profil_self_stop(&stored); }) == Answer{0, 0});
	CHECK(stored == 0);
}

TEST_CASE("the lists of AIX and Tru64 are read before the module is asked", "[device]")
{
	unsigned short list[64] = {}; /* AIX: an empty list; Tru64: an empty range */

	const auto errno_of = [](auto call) {
		errno = 0;
		call();
		return errno;
	};

	CHECK(errno_of([&] { profil_aix(nullptr, SIZE_MAX, 0, 0); }) == EFAULT);
	CHECK(errno_of([&] { profil_tru64(nullptr, 1, ULONG_MAX, 0); }) == EFAULT);
	CHECK(errno_of([&] { profil_tru64(list, 65, ULONG_MAX, 0); }) == EINVAL);
	/* Neither call turns profiling on. */
	CHECK(errno_of([&] { profil_aix(list, SIZE_MAX, 0, 0); }) == 0);
	CHECK(errno_of([&] { profil_tru64(list, 1, ULONG_MAX, 0); }) == 0);
}

TEST_CASE("pcsample refuses a negative number of samples", "[device]")
{
	uintptr_t samples[4] = {};

	CHECK(ask([&] { return pcsample(samples, -1); }) == Answer{-1, EINVAL});
	CHECK(ask([&] { return pcsample(samples, LONG_MIN); }) == Answer{-1, EINVAL});
}

TEST_CASE("a spec of another size is accepted if the unknown part is zero", "[device]")
{
	struct {
		profil_spec known;
		uint64_t more;
	} spec = {};
	profil_region region = {};

	need_no_device();
	/* ENODEV says that the spec was accepted. */
	spec.known = histogram(region);
	CHECK(ask([&] { return profil_self_start(&spec.known, nullptr); }) == no_device);
	spec.known.size = sizeof spec;
	CHECK(ask([&] { return profil_self_start(&spec.known, nullptr); }) == no_device);
	spec.more = 1;
	CHECK(ask([&] { return profil_self_start(&spec.known, nullptr); }) == Answer{-1, E2BIG});
	spec.known.size = sizeof(profil_spec) - 1;
	CHECK(ask([&] { return profil_self_start(&spec.known, nullptr); }) == Answer{-1, EINVAL});
	spec.known.size = 0;
	CHECK(ask([&] { return profil_self_start(&spec.known, nullptr); }) == Answer{-1, EINVAL});
	CHECK(ask([&] { return profil_self_start(nullptr, nullptr); }) == Answer{-1, EFAULT});
}

TEST_CASE("a spec of a size that no version has is refused without being read", "[device]")
{
	profil_region region = {};
	const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
	auto *memory = static_cast<char *>(profil_counters_alloc(2 * page));

	REQUIRE(memory != nullptr);
	REQUIRE(munmap(memory + page, page) == 0);
	auto *spec = reinterpret_cast<profil_spec *>(memory);

	*spec = histogram(region);
	for (const size_t size : {size_t{4097}, SIZE_MAX / 2, SIZE_MAX}) {
		spec->size = size;
		CHECK(ask([&] { return profil_self_start(spec, nullptr); }) == Answer{-1, E2BIG});
	}
	munmap(memory, page);
}

TEST_CASE("a call that fails leaves no descriptor behind", "[device]")
{
	unsigned short counters[8] = {};
	const int before = dup(0);

	close(before);
	for (int i = 0; i < 10; i++) {
		(void)!call_profil(counters, sizeof counters, 0, 0x10000);
		(void)pcsample(nullptr, 0);
		(void)!profil_session_open();
	}
	const int after = dup(0);

	close(after);
	CHECK(before == after);
}

TEST_CASE("memory for counters is zeroed, begins on a page, and is given back", "[counter]")
{
	const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
	auto *memory = static_cast<unsigned char *>(profil_counters_alloc(3 * page));

	REQUIRE(memory != nullptr);
	CHECK(reinterpret_cast<uintptr_t>(memory) % page == 0);
	CHECK(std::count(memory, memory + 3 * page, 0) == static_cast<long>(3 * page));
	memory[3 * page - 1] = 1;
	profil_counters_free(memory, 3 * page);
	CHECK(msync(memory, page, MS_ASYNC) == -1); /* no longer mapped */
	profil_counters_free(nullptr, page);

	errno = 0;
	CHECK(profil_counters_alloc(SIZE_MAX / 2) == nullptr);
	CHECK(errno == ENOMEM);
	CHECK(profil_counters_alloc(0) == nullptr);
}

TEST_CASE("a null session may be closed", "[device]")
{
	errno = EXDEV;
	profil_session_close(nullptr);
	CHECK(errno == EXDEV);
}
