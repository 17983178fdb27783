// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/copies.cpp  Several copies of libprofil in one process: one in a program
 * linked with libprofil.a, one in a plugin linked with libprofil.a, and the shared library.
 */
#include "tests/guest/flavour/forms.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <dlfcn.h>
#include <pcsample.h>
#include <sys/resource.h>

using namespace guest;
using namespace lib_test;
using namespace support;

extern "C" {
int monitor_tru64(char *, char *, char *, size_t, size_t);
int moncontrol(int);
int add_profil_bsd(char *, size_t, unsigned long, unsigned);
}

namespace {

/** A copy of the library; copies that were loaded are unloaded at the end. */
class Copy {
public:
	/** The copy that this program is linked with. */
	Copy() = default;

	explicit Copy(const std::string &path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
	{
		INFO(path);
		REQUIRE(handle_ != nullptr);
		find(linux_profil, "profil_linux");
		find(solaris_profil, "profil_solaris");
		find(bsd_profil, "profil_bsd");
		find(bsd_add_profil, "add_profil_bsd");
		find(aix_profil, "profil_aix");
		find(samples, "pcsample");
		find(monitor, "monitor_tru64");
		find(control, "moncontrol");
	}
	Copy(const Copy &) = delete;
	Copy &operator=(const Copy &) = delete;
	~Copy() { unload(); }

	void unload()
	{
		if (handle_)
			dlclose(handle_);
		handle_ = nullptr;
	}

	decltype(&profil_linux) linux_profil = profil_linux;
	decltype(&profil_solaris) solaris_profil = profil_solaris;
	decltype(&profil_bsd) bsd_profil = profil_bsd;
	decltype(&add_profil_bsd) bsd_add_profil = add_profil_bsd;
	decltype(&profil_aix) aix_profil = profil_aix;
	decltype(&pcsample) samples = pcsample;
	decltype(&monitor_tru64) monitor = monitor_tru64;
	decltype(&moncontrol) control = moncontrol;

private:
	/* Each copy has functions of its own, whatever the names are bound to elsewhere. */
	template <typename Function> void find(Function &function, const char *name)
	{
		auto *const found = reinterpret_cast<Function>(dlsym(handle_, name));

		INFO(name);
		REQUIRE(found != nullptr);
		REQUIRE(found != function);
		function = found;
	}

	void *handle_ = nullptr;
};

std::string shared_library()
{
	return build_dir() + "/libprofil.so.1";
}

std::string plugin()
{
	return program("lib_copy");
}

/** A way to turn a profile on and off with one copy or with two. */
struct Way {
	const char *name;
	void (*on)(const Copy &, void *buffer, size_t bytes, uintptr_t offset);
	void (*off)(const Copy &);
};

void aix_list_on(const Copy &copy, void *buffer, size_t bytes, uintptr_t offset)
{
	AixProf list[2] = {{offset, offset + bytes, buffer, static_cast<int>(bytes), 0xffff}, {}};

	copy.aix_profil(list, SIZE_MAX, 0, 0);
}

void aix_list_off(const Copy &copy)
{
	AixProf end = {};

	copy.aix_profil(&end, SIZE_MAX, 0, 0);
}

void monitor_on(const Copy &copy, void *buffer, size_t bytes, uintptr_t offset)
{
	auto *const low = reinterpret_cast<char *>(offset);

	need(copy.monitor(low, low + 64, static_cast<char *>(buffer), bytes, 0), "monitor");
}

const Way ways[] = {
	{"Linux", [](const Copy &c, void *b, size_t n, uintptr_t o) { c.linux_profil(b, n, o, one_to_one); },
	 [](const Copy &c) { c.linux_profil(nullptr, 0, 0, 0); }},
	{"Solaris",
	 [](const Copy &c, void *b, size_t n, uintptr_t o) { c.solaris_profil(b, n, o, one_to_one); },
	 [](const Copy &c) { c.solaris_profil(nullptr, 0, 0, 0); }},
	{"BSD", [](const Copy &c, void *b, size_t n, uintptr_t o) { c.bsd_profil(b, n, o, one_to_one); },
	 [](const Copy &c) { c.bsd_profil(nullptr, 0, 0, 0); }},
	{"AIX", [](const Copy &c, void *b, size_t n, uintptr_t o) { c.aix_profil(b, n, o, 0xffff); },
	 [](const Copy &c) { c.aix_profil(nullptr, 0, 0, 0); }},
	{"AIX list", aix_list_on, aix_list_off},
	{"monitor", monitor_on, [](const Copy &c) { c.control(0); }},
};

/** Makes every copy turn a profile on and off, as in a program that uses them in turn. */
void use_all(const Loop &loop, std::initializer_list<const Copy *> copies)
{
	static unsigned short counters[2048];

	for (const Copy *copy : copies) {
		REQUIRE(copy->linux_profil(counters, sizeof counters, loop.pc(), one_to_one) == 0);
		copy->linux_profil(nullptr, 0, 0, 0);
	}
}

/** Leave no descriptor free: turning a profile off must not need one. */
void allow_no_descriptors()
{
	const rlimit none = {};

	need(setrlimit(RLIMIT_NOFILE, &none), "setrlimit");
}

} // namespace

TEST_CASE_METHOD(AtRest, "off is off, whichever copy of the library turned it on", "[lib][off][copies]")
{
	const ClockKeeper ticking;
	const Loop loop;
	const OffAtEnd off;
	const Copy own, shared(shared_library()), plugged(plugin());
	const Copy *const copies[] = {&own, &shared, &plugged};

	use_all(loop, {&own, &shared, &plugged});
	for (const Way &way : ways)
		for (const Copy *on : copies)
			for (const Copy *by : copies) {
				const Memory memory(4096);
				auto &counter = *memory.at<volatile unsigned short>();

				INFO(way.name << ", on by copy " << std::find(copies, copies + 3, on) - copies
					      << ", off by copy "
					      << std::find(copies, copies + 3, by) - copies);
				way.on(*on, memory.at(), 4096, loop.pc());
				REQUIRE(is_counted(loop, counter));
				CHECK(in_child([&] {
					allow_no_descriptors();
					is_counted(loop, counter);
					way.off(*by);
					return is_off(loop, counter);
				}));
				CHECK(is_counted(loop, counter));
				way.off(*by);
				CHECK(is_off(loop, counter));
				CHECK(self_status().state == PROFIL_STATE_NONE);
			}
}

TEST_CASE_METHOD(AtRest,
		 "a copy that has never turned a profile on turns off that of another, without a descriptor",
		 "[lib][off][copies]")
{
	const ClockKeeper ticking;
	const Loop loop;
	const Copy own, shared(shared_library());

	for (const Way &way : ways) {
		const Memory memory(4096);
		auto &counter = *memory.at<volatile unsigned short>();

		INFO(way.name);
		CHECK(in_child([&] {
			way.on(own, memory.at(), 4096, loop.pc());
			is_counted(loop, counter);
			allow_no_descriptors();
			way.off(shared);
			return is_off(loop, counter);
		}));
	}
}

TEST_CASE_METHOD(
	AtRest,
	"profiling that a copy turned on goes on when the copy is unloaded, and any other turns it off",
	"[lib][off][copies]")
{
	const ClockKeeper ticking;
	const Loop loop;
	const OffAtEnd off;
	const Copy own;

	for (const std::string &path : {shared_library(), plugin()})
		for (int round = 0; round < 2; round++) {
			Copy loaded(path), again(path == plugin() ? shared_library() : plugin());
			const Memory memory(4096);
			auto &counter = *memory.at<volatile unsigned short>();

			INFO(path);
			use_all(loop, {&own, &again});
			loaded.linux_profil(memory.at(), 4096, loop.pc(), one_to_one);
			loaded.unload();
			CHECK(is_counted(loop, counter));
			(round ? own : again).linux_profil(nullptr, 0, 0, 0);
			CHECK(is_off(loop, counter));
		}
}

TEST_CASE_METHOD(AtRest, "off is off whatever is mapped where copies of the library meet",
		 "[lib][off][copies]")
{
	for (const std::string taken : {"reserved", "zeroes", "none"}) {
		const Output output = run(program("lib_room") + " " + shared_library() + " " + taken);

		INFO(taken << "\n" << output.text);
		CHECK(output.text.empty());
		CHECK(output.status == 0);
	}
}

TEST_CASE_METHOD(AtRest, "the copies know of each other's changes to a profile", "[lib][off][copies]")
{
	const ClockKeeper ticking;
	const Loop loop;
	const OffAtEnd off;
	const Copy own, shared(shared_library());
	const Memory memory(size_t{3} * 4096);
	auto *const mine = memory.at<unsigned short>(), *const other = memory.at<unsigned short>(4096);
	volatile unsigned short &my_counter = *mine, &other_counter = *other;

	SECTION("pcsample() returns what was stored for another copy")
	{
		uintptr_t pcs[100] = {};

		REQUIRE(own.samples(pcs, 100) == 0);
		loop.spin_until([&] { return const_cast<volatile uintptr_t *>(pcs)[4] != 0; });
		const long stored = shared.samples(nullptr, 0);
		CHECK(stored >= 5);
		CHECK(pcs[stored - 1] != 0);
		CHECK(pcs[stored] == 0);
		CHECK(own.samples(nullptr, 0) == 0);
	}
	SECTION("AIX's classic form does not end another copy's list")
	{
		aix_list_on(own, mine, 4096, loop.pc());
		shared.aix_profil(nullptr, 0, 0, 0);
		CHECK(is_counted(loop, my_counter));
	}
	SECTION("moncontrol(0) does not end a profile that another copy started since")
	{
		monitor_on(own, mine, 4096, loop.pc());
		need(shared.linux_profil(other, 4096, loop.pc(), one_to_one), "profil");
		CHECK(own.control(0) == 0);
		CHECK(is_counted(loop, other_counter));
	}
	SECTION("moncontrol(1) resumes what another copy has paused")
	{
		monitor_on(own, mine, 4096, loop.pc());
		CHECK(shared.control(0) == 1);
		CHECK(is_off(loop, my_counter));
		CHECK(own.control(1) == 0);
		CHECK(is_counted(loop, my_counter));
		CHECK(own.control(0) == 1);
	}
	SECTION("add_profil() adds nothing to a profile that another copy started since")
	{
		need(own.bsd_profil(mine, 4096, loop.pc(), one_to_one), "profil");
		need(shared.bsd_profil(other, 4096, loop.pc(), one_to_one), "profil");
		CHECK(own.bsd_add_profil(memory.at<char>(size_t{2} * 4096), 4096, loop.pc(), one_to_one) ==
		      0);
		const unsigned short before = my_counter;
		CHECK(is_counted(loop, other_counter));
		CHECK(my_counter == before);
	}
}
