// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/fdinfo.cpp  /proc/PID/fdinfo/N of /dev/profil: the profiles of an open
 * file, and which users may read them.
 */
#include "tests/guest/record/support.h"
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

/** The module's lines in a file of fdinfo: those of the session, then those of each profile. */
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

/** Open the file in a child, after @p before.  Returns 0 or the error. */
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
	Recording one(256), two = one.beside(256, 1'000'000);

	REQUIRE(soon([&] { return asleep(second.pid()); }));
	CHECK(info_of(one.device()).profiles.empty());
	one.begin(first.pid());
	two.begin(second.pid());
	REQUIRE(grows([&] { return one.sum(); }, 50));
	const auto before = one.status();
	const Info info = info_of(one.device());
	const auto after = one.status();

	REQUIRE(info.profiles.size() == 2);
	auto fields = info.profiles[0];
	CHECK(fields["profile"] == std::to_string(one.profile()));
	CHECK(fields["pids"] == std::to_string(first.pid()));
	CHECK(fields["processes"] == "1");
	CHECK(fields["state"] == "running");
	CHECK(fields["period"] == "100000");
	CHECK(fields["pinned_pages"] == "1");
	CHECK(std::stoull(fields["ticks"]) >= before.ticks);
	CHECK(std::stoull(fields["ticks"]) <= after.ticks);
	CHECK(std::stoull(fields["counted"]) >= before.counted + before.kernel);
	CHECK(std::stoull(fields["counted"]) <= after.counted + after.kernel);
	CHECK(std::stoull(fields["lost"]) <= after.lost_late + after.lost_contended + after.lost_full);
	fields = info.profiles[1];
	CHECK(fields["profile"] == std::to_string(two.profile()));
	CHECK(fields["pids"] == std::to_string(second.pid()));
	CHECK(fields["period"] == "1000000");
	CHECK(fields["ticks"] == "0");

	one.device().stop(one.profile());
	REQUIRE(info_of(one.device()).profiles.size() == 1);
	CHECK(info_of(one.device()).profiles[0]["profile"] == std::to_string(two.profile()));
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
	const Gate go, forked, end;
	const Memory child_pid(page, MAP_SHARED);
	Child parent([&] {
		go.wait();
		const Child child([&] { end.wait(); });
		*child_pid.at<pid_t>() = child.pid();
		forked.open();
		pause();
	});
	Recording recording(256);
	const auto field = [&](const std::string &name) {
		return info_of(recording.device()).profiles.at(0)[name];
	};

	recording.begin(parent.pid());
	CHECK(field("pids") == std::to_string(parent.pid()));
	go.open();
	forked.wait();
	CHECK(field("pids") ==
	      std::to_string(parent.pid()) + " " + std::to_string(*child_pid.at<volatile pid_t>()));
	CHECK(field("processes") == "2");

	kill(parent.pid(), SIGKILL);
	parent.reap();
	CHECK(soon([&] {
		const auto pids = pids_of(recording.device());
		return std::count(pids.begin(), pids.end(), std::to_string(parent.pid())) == 0;
	}));
	CHECK(field("state") == "running");
	recording.finish();
	CHECK(field("state") == "stopped");
}

TEST_CASE_METHOD(AtRest, "fdinfo lists some of a hundred processes and shows that there are more",
		 "[uapi][fdinfo]")
{
	Recording recording(256);
	const Gate go, done;
	const Child parent([&] {
		std::vector<Child> children;

		go.wait();
		for (int i = 0; i < 100; i++)
			children.push_back(sleeper());
		done.open();
		pause();
	});

	recording.begin(parent.pid());
	go.open();
	done.wait();
	const auto pids = pids_of(recording.device());

	CHECK(info_of(recording.device()).profiles.at(0)["processes"] == "101");
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
	const Child target = sleeper();
	Recording recording(256);

	recording.begin(target.pid());
	CHECK(pids_of(recording.device()) == std::vector{std::to_string(target.pid())});
	CHECK(pids_in_a_namespace(recording.device()) == "[]");
}

TEST_CASE_METHOD(AtRest, "fdinfo can be read while profiles come, change and go", "[uapi][fdinfo][race]")
{
	const Burner burner;

	burner.plant_loop(text);
	const Child target = burning_child(text, 2);
	const Recording session(256);
	const Fd proof = proof_of(target.pid());
	std::atomic<bool> over = false;
	std::atomic<unsigned> seen = 0;
	std::thread reader([&] {
		while (!over) {
			for (const Fields &fields : info_of(session.device()).profiles)
				seen += fields.at("state") == "running";
		}
	});

	for (unsigned i = 0; i < rounds(200); i++) {
		Recording recording = session.beside(256);
		recording.begin_with(proof);
		recording.change_table(256);
		recording.status();
		recording.device().stop(recording.profile());
	}
	REQUIRE(soon([&] {
		Recording recording = session.beside(256);
		recording.begin_with(proof);
		usleep(2000);
		recording.device().stop(recording.profile());
		return seen > 0;
	}));
	over = true;
	reader.join();
}
