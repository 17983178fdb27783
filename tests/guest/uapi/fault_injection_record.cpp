// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/fault_injection_record.cpp  Commands of recordings, and ticks that look
 * up their text, when allocations fail.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/faults.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/utsname.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** Let the n-th call in a command fail.  Returns whether that call was reached. */
bool fail(const Device &device, unsigned command, void *structure, unsigned n,
	  const std::function<void(int error)> &check)
{
	bool fired;
	int error;
	{
		const Injector injector;

		injector.arm(n);
		error = device.call(command, structure);
		fired = injector.fired();
		injector.disarm();
	}
	INFO("failure " << n << ": " << strerror(error));
	CHECK((!error || (fired && (error == ENOMEM || error == EFAULT))));
	check(error);
	return fired;
}

size_t descriptors()
{
	const std::filesystem::directory_iterator all("/proc/self/fd");

	return static_cast<size_t>(std::distance(begin(all), end(all)));
}

} // namespace

TEST_CASE_METHOD(AtRest, "a process that cannot be added can be added later", "[fault-injection][record]")
{
	const uint32_t flags =
		GENERATE(as<uint32_t>(), PROFIL_FOLLOW, PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	const Child first([] { pause(); }), second([] { pause(); });
	const Fd proof = proof_of(second.pid());
	const Faults faults;

	const unsigned failures = sweep([&](unsigned n) {
		Recording recording;

		recording.begin(first.pid(), flags);
		profil_add add = describe_addition(recording.profile(), proof.get());
		return fail(recording.device(), PROFIL_ADD, &add, n, [&](int error) {
			const bool added = recording.status().processes == 2;

			CHECK(recording.status().state == PROFIL_STATE_RUNNING);
			CHECK(added == !error);
			CHECK(recording.add(second.pid()) == (added ? EEXIST : 0));
			CHECK(recording.status().processes == 2);
		});
	});
	CHECK(failures >= 3);
}

TEST_CASE_METHOD(AtRest, "a table goes on counting if another one cannot take its place",
		 "[fault-injection][record]")
{
	Steps child([](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	});
	Recording recording;
	std::vector<std::unique_ptr<Memory>> tables;
	const Memory *present = &recording.table();
	const auto all = [&] {
		uint64_t sum = sum_table(recording.table());

		for (const auto &one : tables)
			sum += sum_table(*one);
		return sum;
	};

	recording.begin(child.pid());
	{
		const Faults faults;
		const unsigned failures = sweep([&](unsigned n) {
			const Memory &other = *tables.emplace_back(std::make_unique<Memory>(65536));
			profil_table change = recording.request_table(other);

			return fail(recording.device(), PROFIL_TABLE, &change, n, [&](int error) {
				if (error)
					CHECK(sum_table(other) == 0);
				else
					present = &other;
				CHECK(grows([&] { return sum_table(*present); }));
				CHECK(recording.status().state == PROFIL_STATE_RUNNING);
			});
		});
		CHECK(failures >= 3);
	}
	recording.finish();
	const profil_status status = recording.status();
	CHECK(all() == status.counted + status.kernel);
	CHECK(status.lost_full == 0);
}

TEST_CASE_METHOD(AtRest, "a number that is not described in full is neither opened nor forgotten",
		 "[fault-injection][record]")
{
	const uint32_t flags = GENERATE(as<uint32_t>(), 0, PROFIL_DESCRIBE_OPEN,
					PROFIL_DESCRIBE_OPEN | PROFIL_DESCRIBE_FORGET);
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;
	char path[4096];
	const auto number_of_file = [&] {
		for (uint32_t number = recording.described(0).numbers; number > 5; number--) {
			profil_describe about = {};

			about.size = sizeof(about);
			about.profile = recording.profile();
			about.number = number;
			if (!recording.device().call(PROFIL_DESCRIBE, &about) &&
			    about.kind == PROFIL_KIND_FILE && about.bytes == 2 * LoopFile::offset)
				return number;
		}
		return 0U;
	};

	CAPTURE(flags);
	recording.begin(child.pid());
	const Faults faults;
	const unsigned failures = sweep([&](unsigned n) {
		profil_describe about = {};

		/* A file that was forgotten gets a new number. */
		need_that(soon([&] { return number_of_file() != 0; }), "the file has a number");
		about.size = sizeof(about);
		about.flags = flags;
		about.profile = recording.profile();
		about.number = number_of_file();
		about.path = reinterpret_cast<uintptr_t>(path);
		about.path_size = sizeof(path);
		const profil_describe before = about;
		const size_t open = descriptors();
		return fail(recording.device(), PROFIL_DESCRIBE, &about, n, [&](int error) {
			if (!error && about.fd >= 0)
				close(about.fd);
			CHECK(descriptors() == open);
			profil_describe again = before;
			again.flags = 0;
			const int known = recording.device().call(PROFIL_DESCRIBE, &again);
			if (!(flags & PROFIL_DESCRIBE_FORGET) || error == ENOMEM)
				CHECK(known == 0);
			else if (!error)
				CHECK(known == ENOENT);
		});
	});
	CHECK(failures >= 3);
}

TEST_CASE_METHOD(AtRest, "a tick whose text is looked for without memory counts all the same",
		 "[fault-injection][record]")
{
	const bool everybody = GENERATE(false, true);
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	const Injector injector(child.pid());
	const Faults faults(Faults::Of::module);

	CAPTURE(everybody);
	const unsigned failures = sweep([&](unsigned n) {
		Recording recording;

		injector.arm(n);
		if (everybody)
			REQUIRE(recording.begin_everybody() == 0);
		else
			recording.begin(child.pid());
		CHECK(grows([&] { return recording.in_file(file.path()); }));
		const bool fired = injector.fired();
		injector.disarm();
		recording.finish();
		const profil_status status = recording.status();
		INFO("failure " << n);
		CHECK(recording.sum() == status.counted + status.kernel);
		CHECK(status.ticks == causes(status));
		CHECK(status.lost_full + status.forks_lost == 0);
		return fired;
	});
	/*
	 * The allocations: a text, a cell and their place in the address space; for a system-wide
	 * recording also a watch, an owner and a binding.  On the KCSAN kernel the first tick is in
	 * the kernel, and a worker allocates the watch and the owner.
	 */
	utsname kernel;
	need(uname(&kernel), "uname");
	const bool by_worker = std::string(kernel.release).ends_with("kcsan");
	CHECK(failures >= (!everybody ? 3 : by_worker ? 5 : 9));
}
