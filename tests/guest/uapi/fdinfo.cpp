// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/fdinfo.cpp  /proc/PID/fdinfo/N of /dev/profil: what an open file profiles,
 * and which users may read that.
 */
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <sched.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

using Fields = std::map<std::string, std::string>;

/** The module's lines in an fdinfo: of the session, then of each profile. */
struct Info {
	std::string session;
	std::vector<Fields> profiles;
};

std::string path_of(const Device &device, const std::string &pid = "self")
{
	return "/proc/" + pid + "/fdinfo/" + std::to_string(device.fd());
}

Info read_info(const std::string &path)
{
	std::istringstream lines(read_file(path));
	Info info;

	for (std::string line; std::getline(lines, line);) {
		const auto colon = line.find(":\t");
		need_that(colon != line.npos, "each line has a name and a value");
		const auto name = line.substr(0, colon), value = line.substr(colon + 2);
		if (name == "session")
			info.session = value;
		else if (name == "profile")
			info.profiles.push_back({{name, value}});
		else if (!info.profiles.empty())
			info.profiles.back()[name] = value;
	}
	return info;
}

Info info_of(const Device &device)
{
	return read_info(path_of(device));
}

profil_region loop_in(const Memory &counters, size_t index = 0)
{
	return one_counter(text, text + CODE_LOOP_RETURN, counters.at(index * 8), 8);
}

Child sleeper()
{
	return Child([] {
		for (;;)
			pause();
	});
}

std::vector<std::string> words_of(const std::string &line)
{
	std::istringstream words(line);
	std::vector<std::string> all;

	for (std::string word; words >> word;)
		all.push_back(word);
	return all;
}

std::vector<std::string> pids_of(const Device &device)
{
	return words_of(info_of(device).profiles.at(0)["pids"]);
}

/** Open the file in a child: 0, or the error. */
int error_of_reading(const std::string &path, const std::function<void()> &before)
{
	return in_child([&] {
		before();
		const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
		return file.get() < 0 ? errno : 0;
	});
}

/** The pids of the first profile, read in a new PID namespace with its own /proc. */
std::string pids_in_a_namespace(const Device &device)
{
	const Memory place(page, MAP_SHARED);

	in_child([&] {
		need(unshare(CLONE_NEWPID | CLONE_NEWNS), "unshare");
		Child first([&] {
			need(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "MS_PRIVATE");
			need(mount("proc", "/proc", "proc", 0, nullptr), "proc");
			const Info info = info_of(device);
			need_that(info.profiles.size() == 1, "one profile");
			("[" + info.profiles[0].at("pids") + "]").copy(place.at<char>(), page - 1);
		});
		first.join();
		return 0;
	});
	return place.at<char>();
}

} // namespace

TEST_CASE_METHOD(AtRest, "fdinfo shows the profiles of a file as PROFIL_STATUS does", "[uapi][fdinfo]")
{
	const Burner burner;

	burner.plant_loop(text);
	const Child first = burning_child(text), second = sleeper();
	const Device device;
	const Memory counters(2 * page);

	REQUIRE(soon([&] { return asleep(second.pid()); }));
	CHECK(info_of(device).profiles.empty());
	const auto one =
		device.attach(describe(loop_in(counters), period_10khz), proof_of(first.pid()).get());
	const auto two =
		device.attach(describe(loop_in(counters, 512), 1'000'000), proof_of(second.pid()).get());
	REQUIRE(soon([&] { return counter<uint64_t>(counters) >= 50; }));
	const auto before = device.status(one);
	const Info info = info_of(device);
	const auto after = device.status(one);

	REQUIRE(info.profiles.size() == 2);
	auto fields = info.profiles[0];
	CHECK(fields["profile"] == std::to_string(one));
	CHECK(fields["pids"] == std::to_string(first.pid()));
	CHECK(fields["processes"] == "1");
	CHECK(fields["state"] == "running");
	CHECK(fields["period"] == "100000");
	CHECK(fields["pinned_pages"] == "1");
	CHECK(std::stoull(fields["ticks"]) >= before.ticks);
	CHECK(std::stoull(fields["ticks"]) <= after.ticks);
	CHECK(std::stoull(fields["counted"]) >= before.counted);
	CHECK(std::stoull(fields["counted"]) <= after.counted);
	CHECK(std::stoull(fields["lost"]) <= after.lost_late + after.lost_contended + after.lost_exec);
	fields = info.profiles[1];
	CHECK(fields["profile"] == std::to_string(two));
	CHECK(fields["pids"] == std::to_string(second.pid()));
	CHECK(fields["period"] == "1000000");
	CHECK(fields["ticks"] == "0");

	device.stop(one);
	REQUIRE(info_of(device).profiles.size() == 1);
	CHECK(info_of(device).profiles[0]["profile"] == std::to_string(two));
}

TEST_CASE_METHOD(AtRest, "fdinfo distinguishes sessions and recognises one that is open twice",
		 "[uapi][fdinfo]")
{
	const Device first, second;
	const Fd again(dup(first.fd()));

	CHECK(info_of(first).session != info_of(second).session);
	CHECK(read_info("/proc/self/fdinfo/" + std::to_string(again.get())).session ==
	      info_of(first).session);
}

TEST_CASE_METHOD(AtRest, "fdinfo shows the states of a profile and the processes that it follows",
		 "[uapi][fdinfo]")
{
	const Burner burner;
	const Gate go, end;

	burner.plant_loop(text);
	const Device device;
	const Memory counters(page), child_pid(page, MAP_SHARED);
	Child parent([&] {
		go.wait();
		const Child child([&] { end.wait(); });
		*child_pid.at<pid_t>() = child.pid();
		Burner::spin(text, UINT64_MAX);
	});
	auto how = describe(loop_in(counters));

	how.flags = PROFIL_FOLLOW;
	how.limit_policy = PROFIL_LIMIT_STOP;
	how.limit = 20;
	device.attach(how, proof_of(parent.pid()).get());
	CHECK(info_of(device).profiles.at(0)["pids"] == std::to_string(parent.pid()));
	go.open();
	CHECK(soon([&] { return info_of(device).profiles.at(0)["state"] == "limit"; }));
	CHECK(info_of(device).profiles.at(0)["pids"] ==
	      std::to_string(parent.pid()) + " " + std::to_string(*child_pid.at<volatile pid_t>()));
	CHECK(info_of(device).profiles.at(0)["processes"] == "2");

	kill(parent.pid(), SIGKILL);
	parent.reap();
	CHECK(soon([&] {
		const auto pids = pids_of(device);
		return std::count(pids.begin(), pids.end(), std::to_string(parent.pid())) == 0;
	}));
}

TEST_CASE_METHOD(AtRest, "fdinfo lists some of a hundred processes and shows that there are more",
		 "[uapi][fdinfo]")
{
	const Device device;
	const Memory counters(page);
	const Gate go, done;
	const Child parent([&] {
		std::vector<Child> children;

		go.wait();
		for (int i = 0; i < 100; i++)
			children.push_back(sleeper());
		done.open();
		pause();
	});
	auto how = describe(loop_in(counters));

	how.flags = PROFIL_FOLLOW;
	device.attach(how, proof_of(parent.pid()).get());
	go.open();
	done.wait();
	const auto pids = pids_of(device);

	CHECK(info_of(device).profiles.at(0)["processes"] == "101");
	REQUIRE(pids.size() == 32 + 1);
	CHECK(pids.front() == std::to_string(parent.pid()));
	CHECK(pids.back() == "...");
}

TEST_CASE_METHOD(AtRest, "only the file's owner and root can read fdinfo", "[uapi][fdinfo]")
{
	const Device device;
	const auto path = path_of(device, std::to_string(getpid()));

	CHECK(error_of_reading(path, [] {}) == 0);
	CHECK(error_of_reading(path, become_nobody) == EACCES);
	CHECK(in_child([] {
		      become_nobody();
		      const Device own;
		      return info_of(own).session.empty();
	      }) == false);
}

TEST_CASE_METHOD(AtRest, "fdinfo shows no process that its reader cannot see", "[uapi][fdinfo]")
{
	const Device device;
	const Memory counters(page);
	const Child target = sleeper();

	device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
	CHECK(info_of(device).profiles.at(0)["pids"] == std::to_string(target.pid()));
	CHECK(pids_in_a_namespace(device) == "[]");
}

TEST_CASE_METHOD(AtRest, "fdinfo can be read while profiles come, change and go", "[uapi][fdinfo][race]")
{
	const Burner burner;

	burner.plant_loop(text);
	const Child target = burning_child(text, 2);
	const Device device;
	const Memory counters(page);
	const Fd proof = proof_of(target.pid());
	std::atomic<bool> over = false;
	std::atomic<unsigned> seen = 0;
	std::thread reader([&] {
		while (!over) {
			for (const Fields &fields : info_of(device).profiles)
				seen += fields.at("state") == "running";
		}
	});

	for (unsigned i = 0; i < rounds(200); i++) {
		const auto profile = device.attach(describe(loop_in(counters)), proof.get());
		const profil_region other = loop_in(counters, 8);
		auto update = describe_update(profile, {&other, 1});
		CHECK(device.call(PROFIL_UPDATE, &update) == 0);
		device.status(profile);
		device.stop(profile);
	}
	REQUIRE(soon([&] {
		const auto profile = device.attach(describe(loop_in(counters)), proof.get());
		usleep(2000);
		device.stop(profile);
		return seen > 0;
	}));
	over = true;
	reader.join();
}
