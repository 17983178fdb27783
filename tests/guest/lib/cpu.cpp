// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/cpu.cpp  Programs that profile themselves with <profil/cpu.h>. */
#include "tests/guest/lib/cpu_support.h"
#include "tests/guest/support/credentials.h"
#include "tests/support/catch.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <profil.h>
#include <sys/resource.h>
#include <thread>

using namespace cpu_test;

namespace {

std::string link_of(int descriptor)
{
	std::error_code error;

	return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
}

int start_with(const std::function<void(profil_cpu_options &)> &change)
{
	profil_cpu_options options = {sizeof options, 0, 0, 0, 0};

	change(options);
	return profil_cpu_start(&options) ? errno : 0;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a program's profile of itself has each tick of its threads", "[lib][cpu]")
{
	const MappedLoop first("profil-loop-a"), second("profil-loop-b", text + 0x10000);
	const Profile profile;

	spend(text, 100);
	std::thread([] { spend(text + 0x10000, 100); }).join();
	REQUIRE(profil_cpu_stop() == 0);
	Burner::spin(text, 10'000'000);
	const Json json = profile.written();
	const auto status = cpu_status();

	CHECK(json["samples"] == status.counted + status.kernel);
	CHECK(json["ticks"]["total"] == status.ticks);
	CHECK(first.samples(json) > 0);
	CHECK(second.samples(json) > 0);
}

TEST_CASE_METHOD(AtRest, "any user's program can profile itself", "[lib][cpu]")
{
	const Setting paranoid("/proc/sys/kernel/perf_event_paranoid", "3");

	CHECK(in_child([] {
		as_nobody();
		const MappedLoop loop("profil-loop-nobody");
		const Profile profile(0, 100);

		spend(text, 100);
		return loop.samples(profile.written()) > 0;
	}));
}

TEST_CASE_METHOD(AtRest, "a profile can be written while it runs, and each file has all samples so far",
		 "[lib][cpu]")
{
	const MappedLoop loop("profil-loop-a");
	const Profile profile;
	uint64_t before = 0;

	for (int i = 0; i < 3; i++) {
		spend(text, 100);
		const uint64_t now = loop.samples(profile.written());
		CHECK(now > before);
		before = now;
	}
	REQUIRE(profil_cpu_stop() == 0);
	const Json last = profile.written();
	CHECK(last["samples"] == ticks_in_file());
	CHECK(profile.written() == last);
}

TEST_CASE_METHOD(AtRest, "nothing is counted while a profile is paused", "[lib][cpu]")
{
	const MappedLoop loop("profil-loop-a"), other("profil-loop-b", text + 0x10000);
	const Profile profile;

	spend(text, 100);
	REQUIRE(profil_cpu_pause() == 0);
	CHECK(profil_cpu_pause() == 0);
	Burner::spin(text + 0x10000, 100'000'000);
	const uint64_t before = loop.samples(profile.written());
	REQUIRE(profil_cpu_resume() == 0);
	CHECK(profil_cpu_resume() == 0);
	spend(text, 100);
	REQUIRE(profil_cpu_stop() == 0);
	const Json json = profile.written();

	CHECK(loop.samples(json) > before);
	CHECK(other.samples(json) == 0);
	CHECK(json["samples"] == ticks_in_file());
}

TEST_CASE_METHOD(AtRest, "children count in a program's profile of itself only if it wants them",
		 "[lib][cpu][fork]")
{
	const bool wanted = GENERATE(false, true);
	const MappedLoop loop("profil-loop-a"), other("profil-loop-b", text + 0x10000);
	const Memory shared(4096, MAP_SHARED);
	auto &enough = *shared.at<std::atomic<bool>>();
	const Profile profile(wanted ? PROFIL_CPU_CHILDREN : 0);
	const Child child([&] {
		while (!enough)
			Burner::spin(text + 0x10000, 100'000);
	});
	Recording proven;

	proven.begin(child.pid(), 0);
	CHECK(soon([&] { return proven.sum() >= 200; }));
	spend(text, 100);
	REQUIRE(profil_cpu_stop() == 0);
	enough = true;
	const Json json = profile.written();

	CHECK(loop.samples(json) > 0);
	CHECK((other.samples(json) > 0) == wanted);
}

TEST_CASE_METHOD(AtRest, "a child made by fork has no profile until it starts one", "[lib][cpu][fork]")
{
	const MappedLoop loop("profil-loop-a");
	const Profile profile(PROFIL_CPU_CHILDREN);

	spend(text, 100);
	CHECK(in_child([&] {
		const Fd none(open("/dev/null", O_WRONLY | O_CLOEXEC));
		const bool nothing = profil_cpu_write(none.get()) == -1 && errno == ENOENT &&
				     profil_cpu_thread() == -1 && errno == ENOENT && profil_cpu_stop() == 0;
		const Profile own;

		spend(text, 100);
		return nothing && loop.samples(own.written()) > 0;
	}));
	spend(text, 100);
	CHECK(loop.samples(profile.written()) > 0);
}

TEST_CASE_METHOD(AtRest, "with PROFIL_CPU_THREADS only threads that ask are counted", "[lib][cpu][thread]")
{
	const MappedLoop first("profil-loop-a"), second("profil-loop-b", text + 0x10000),
		third("profil-loop-c", text + 0x20000);
	const Profile profile(PROFIL_CPU_THREADS);

	CHECK(profil_cpu_thread() == -1);
	CHECK(errno == EEXIST);
	std::thread([] { Burner::spin(text + 0x20000, 100'000'000); }).join();
	std::thread([] {
		need(profil_cpu_thread(), "profil_cpu_thread");
		spend(text + 0x10000, 100);
	}).join();
	spend(text, 100);
	REQUIRE(profil_cpu_stop() == 0);
	const Json json = profile.written();

	CHECK(first.samples(json) > 0);
	CHECK(second.samples(json) > 0);
	CHECK(third.samples(json) == 0);
}

TEST_CASE_METHOD(AtRest, "a profile without room for all places has room after it was written", "[lib][cpu]")
{
	constexpr size_t loops = 300;
	const Burner burner;
	const Profile profile(0, 1000, 256);

	for (size_t i = 0; i < loops; i++)
		burner.plant_loop(text + 16 * i);
	const auto run_until = [&](const std::function<bool()> &enough) {
		return soon([&] {
			for (size_t i = 0; i < loops; i++)
				Burner::spin(text + 16 * i, 2000);
			return enough();
		});
	};
	REQUIRE(run_until([&] { return cpu_status().lost_full > 0; }));
	/* The table that is written now is followed by one of the same size, and that by a larger one. */
	for (int i = 0; i < 2; i++) {
		(void)profile.written();
		const uint64_t enough = ticks_in_file() + 300;
		REQUIRE(run_until([&] { return ticks_in_file() >= enough; }));
	}
	const uint64_t lost = cpu_status().lost_full, enough = ticks_in_file() + 300;
	REQUIRE(run_until([&] { return ticks_in_file() >= enough; }));
	CHECK(cpu_status().lost_full == lost);
	CHECK(profile.written()["ticks"]["lost_full"] == lost);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL ends a program's profile of itself without losing samples",
		 "[lib][cpu]")
{
	const MappedLoop loop("profil-loop-a");
	const Profile profile;

	spend(text, 100);
	REQUIRE(profil_all_stop() == 0);
	const uint64_t before = loop.samples(profile.written());
	CHECK(before > 0);
	Burner::spin(text, 10'000'000);
	CHECK(profil_cpu_stop() == 0);
	const Json json = profile.written();
	CHECK(loop.samples(json) == before);
	CHECK(json["samples"] == ticks_in_file());
}

TEST_CASE_METHOD(AtRest,
		 "a program that closes the profile's descriptor keeps the samples, and its own files",
		 "[lib][cpu]")
{
	const MappedLoop loop("profil-loop-a");
	const Profile profile;
	int number = 3;

	spend(text, 100);
	const uint64_t before = loop.samples(profile.written());
	while (number < 1024 && link_of(number) != "/dev/profil")
		number++;
	REQUIRE(number >= 200);
	Burner::spin(text, 20'000'000);
	REQUIRE(dup2(STDERR_FILENO, number) == number);
	CHECK(profil_cpu_stop() == 0);
	CHECK(loop.samples(profile.written()) > before);
	CHECK(close(number) == 0);
	CHECK(profil_cpu_start(nullptr) == 0);
}

TEST_CASE_METHOD(AtRest, "a user who may lock little memory has a profile with less room", "[lib][cpu]")
{
	CHECK(in_child([] {
		const rlimit little = {64 << 10, 64 << 10};

		need(setrlimit(RLIMIT_MEMLOCK, &little), "RLIMIT_MEMLOCK");
		as_nobody();
		const MappedLoop loop("profil-loop-nobody");
		const Profile profile(0, 100);

		spend(text, 10);
		const bool first = loop.samples(profile.written()) > 0;
		spend(text, 10);
		return first && loop.samples(profile.written()) > 0;
	}));
}

TEST_CASE_METHOD(AtRest, "a signal handler can write the profile of the code that it interrupts",
		 "[lib][cpu]")
{
	static int file;
	static volatile sig_atomic_t result = 1;
	const TemporaryDirectory directory;
	const std::string path = directory / "self.pb";
	const Fd opened(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	const MappedLoop loop("profil-loop-a");
	const Profile profile;

	file = opened.get();
	spend(text, 100);
	signal(SIGUSR1, [](int) { result = profil_cpu_write(file); });
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	REQUIRE(result == 0);
	CHECK(loop.samples(report(path, "object")) > 0);
}

TEST_CASE_METHOD(AtRest, "each mistake in profiling oneself has its error", "[lib][cpu]")
{
	CHECK(start_with([](auto &o) { o.size--; }) == EINVAL);
	CHECK(start_with([](auto &o) { o.size = 4097; }) == E2BIG);
	CHECK(start_with([](auto &o) { o.flags = 4; }) == EINVAL);
	CHECK(start_with([](auto &o) { o.flags = PROFIL_CPU_CHILDREN | PROFIL_CPU_THREADS; }) == EINVAL);
	CHECK(start_with([](auto &o) { o.reserved = 1; }) == EINVAL);
	CHECK(start_with([](auto &o) { o.places = 128; }) == EINVAL);
	CHECK(start_with([](auto &o) { o.places = 257; }) == EINVAL);
	CHECK(start_with([](auto &o) { o.hz = 10'000'000; }) == ERANGE);
	CHECK((profil_cpu_resume() == -1 && errno == ENOENT));
	REQUIRE(profil_cpu_start(nullptr) == 0);
	CHECK(cpu_status().period == 10'000'000);
	CHECK((profil_cpu_start(nullptr) == -1 && errno == EALREADY));
	CHECK((profil_cpu_thread() == -1 && errno == EINVAL));
	CHECK((profil_cpu_write(-1) == -1 && errno == EBADF));
	REQUIRE(profil_cpu_pause() == 0);
	CHECK((profil_cpu_start(nullptr) == -1 && errno == EALREADY));
	CHECK((profil_cpu_thread() == -1 && errno == ENOENT));
	REQUIRE(profil_cpu_stop() == 0);
	CHECK((profil_cpu_resume() == -1 && errno == ENOENT));
	profil_status status = {};
	CHECK((profil_cpu_get_status(&status) == -1 && errno == EINVAL));
	CHECK((profil_cpu_get_status(nullptr) == -1 && errno == EFAULT));
	status.size = 4097;
	CHECK((profil_cpu_get_status(&status) == -1 && errno == E2BIG));
}

TEST_CASE_METHOD(AtRest, "options and a status of a later version are accepted", "[lib][cpu]")
{
	struct {
		profil_cpu_options known;
		uint64_t more;
	} options = {{sizeof options, 0, 0, 0, 0}, 1};
	struct {
		profil_status known;
		uint64_t more;
	} status = {{}, 1};

	CHECK((profil_cpu_start(&options.known) == -1 && errno == E2BIG));
	options.more = 0;
	REQUIRE(profil_cpu_start(&options.known) == 0);
	status.known.size = sizeof status;
	REQUIRE(profil_cpu_get_status(&status.known) == 0);
	CHECK(status.known.size == sizeof status);
	CHECK(status.known.state == PROFIL_STATE_RUNNING);
	CHECK(status.more == 0);
	CHECK(profil_cpu_stop() == 0);
}

TEST_CASE_METHOD(AtRest, "a start that fails leaves the samples of the profile before", "[lib][cpu]")
{
	const MappedLoop loop("profil-loop-a");
	const Profile profile;

	spend(text, 100);
	REQUIRE(profil_cpu_stop() == 0);
	CHECK(start_with([](auto &o) { o.hz = 10'000'000; }) == ERANGE);
	CHECK(loop.samples(profile.written()) > 0);
}

TEST_CASE_METHOD(AtRest, "a scope in C++ is profiled until it ends", "[lib][cpu]")
{
	{
		const profil_cpu_scope scope(1000);
		const Fd none(open("/dev/null", O_WRONLY | O_CLOEXEC));

		REQUIRE(scope.error() == 0);
		CHECK(scope.write(none.get()) == 0);
		const profil_cpu_scope inner;
		CHECK(inner.error() == EALREADY);
		CHECK(cpu_status().state == PROFIL_STATE_RUNNING);
	}
	CHECK(cpu_status().state == PROFIL_STATE_STOPPED);
}

TEST_CASE_METHOD(AtRest, "the examples of profil_cpu(3) write profiles with the names of their functions",
		 "[lib][cpu][man]")
{
	const std::string example = GENERATE("cpu", "cpu_scope");
	const TemporaryDirectory directory;
	const auto output =
		support::run("cd " + (directory / "") + " && LD_LIBRARY_PATH=" + support::build_dir() + " " +
			     support::build_dir() + "/tests/examples/" + example);

	INFO(example << ": " << output.text);
	REQUIRE(output.status == 0);
	/* The compiler may have made work() part of main(). */
	const auto functions = support::functions_in(directory / "self.pb", "");
	CHECK(functions.count("work") + functions.count("main") > 0);
}
