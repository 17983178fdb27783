// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/cpu_threads.cpp  A program with many threads that profiles itself. */
#include "tests/guest/lib/cpu_support.h"
#include "tests/support/catch.h"

#include <csignal>
#include <dlfcn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>

using namespace cpu_test;

namespace {

constexpr int many_threads = 64;
constexpr uintptr_t apart = 0x1000;

/** What a thread does between its turns in its loop: everything that disturbs profilers by signals. */
void disturb(const std::string &library)
{
	raise(SIGUSR1);
	try {
		throw std::runtime_error("as a program does");
	} catch (const std::runtime_error &) {
	}
	void *const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);

	need_that(loaded != nullptr, "the library is loaded");
	dlclose(loaded);
	const pid_t child = need(fork(), "fork");
	if (!child)
		_exit(0);
	need(waitpid(child, nullptr, 0), "waitpid");
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "64 threads with signals, exceptions, plugins and forks have the split of their loops",
		 "[lib][cpu][thread]")
{
	const std::string library = support::build_dir() + "/libprofil.so.1";
	const Burner burner(text, many_threads * apart);
	const Profile profile(0, 1000);
	std::vector<std::thread> threads;

	signal(SIGUSR1, [](int) {});
	for (int i = 0; i < many_threads; i++)
		burner.plant_loop(text + static_cast<uintptr_t>(i) * apart);
	/* Even threads run four times as long as odd ones. */
	for (int i = 0; i < many_threads; i++)
		threads.emplace_back([&, i] {
			for (int turn = 0; turn < 5; turn++) {
				Burner::spin(text + static_cast<uintptr_t>(i) * apart,
					     i % 2 ? 500'000 : 2'000'000);
				/*
				 * If all did, the lock of the address space would be taken all the time, and
				 * much of the text unknown.
				 */
				if (i % 16 == 0)
					disturb(library);
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	signal(SIGUSR1, SIG_DFL);
	REQUIRE(profil_cpu_stop() == 0);

	const TemporaryDirectory directory;
	const std::string path = directory / "self.pb";
	Profile::write(path);
	uint64_t samples[2] = {};
	const Json by_address = report(path, "address");
	INFO(by_address["rows"].dump().substr(0, 3000));
	for (const Json &row : by_address["rows"]) {
		const uint64_t address = std::stoull(row["address"].get<std::string>(), nullptr, 16) - text;

		if (address < many_threads * apart)
			samples[address / apart % 2] += row["samples"].get<uint64_t>();
	}
	/* Five standard deviations, so that chance alone fails one test in a million, and 2 % for the rest.
	 */
	const double all = static_cast<double>(samples[0] + samples[1]);
	const double off = static_cast<double>(samples[0]) - 0.8 * all;
	CAPTURE(samples[0], samples[1]);
	CHECK(all > 100);
	CHECK(off * off < 25 * 0.16 * all + 0.0004 * all * all);
	CHECK(report(path, "object")["samples"] == ticks_in_file());
}
