// SPDX-License-Identifier: GPL-2.0-or-later
// Who may attach to whom: exactly who may perf_event_open(2) that task.
//
// Every case asks the kernel, then the module, and compares both with what is
// known.  libprofil shows the module the very proof that the kernel has given.
#include "tests/guest/support/places.h"
#include "tests/support/programs.h"

#include <catch2/catch.hpp>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <grp.h>
#include <linux/capability.h>
#include <memory>
#include <profil.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace guest;

namespace {

constexpr size_t page = 4096;
constexpr id_t nobody = 65534, somebody = 1001;
const std::string paranoid = "/proc/sys/kernel/perf_event_paranoid";
const std::string ptrace_scope = "/proc/sys/kernel/yama/ptrace_scope";

constexpr uint64_t bit(unsigned capability)
{
	return uint64_t{1} << capability;
}

constexpr uint64_t all = ~uint64_t{0}, perfmon = bit(CAP_PERFMON), ptrace = bit(CAP_SYS_PTRACE),
		   admin = bit(CAP_SYS_ADMIN);

// Keep some of root's capabilities, perhaps as another user, and stay traceable.
void become(id_t user, uint64_t capabilities)
{
	__user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	__user_cap_data_struct data[2] = {};

	need(prctl(PR_SET_KEEPCAPS, 1), "PR_SET_KEEPCAPS");
	if (user) {
		need(setgroups(0, nullptr), "setgroups");
		need(setresgid(user, user, user), "setresgid");
		need(setresuid(user, user, user), "setresuid");
	}
	need(static_cast<int>(syscall(SYS_capget, &header, data)), "capget");
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= static_cast<uint32_t>(capabilities >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	need(static_cast<int>(syscall(SYS_capset, &header, data)), "capset");
	need(prctl(PR_SET_DUMPABLE, 1), "PR_SET_DUMPABLE");
	need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
}

// Enter a user namespace of one's own as its root, who is the present user outside.
void enter_user_namespace()
{
	const auto map = "0 " + std::to_string(geteuid()) + " 1";

	need(unshare(CLONE_NEWUSER), "CLONE_NEWUSER");
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", map);
}

// A process to attach to, which waits; perhaps the first of a pid namespace.
class Target {
public:
	Target(const std::function<void()> &outside, bool forks, const std::function<void()> &inside)
		: child_([&] {
			  outside();
			  if (forks) {
				  const pid_t child = need(fork(), "fork");
				  if (child) {
					  *pid() = child;
					  told_.open();
					  wait_for_ever();
				  }
				  told_.wait();
			  }
			  need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
			  inside();
			  ready_.open();
			  wait_for_ever();
		  })
	{
		if (!forks)
			*pid() = child_.pid();
		ready_.wait();
	}
	volatile pid_t *pid() const { return place_.at<volatile pid_t>(); }

private:
	[[noreturn]] static void wait_for_ever()
	{
		for (;;)
			pause();
	}
	const Memory place_{page, MAP_SHARED};
	const Gate told_, ready_;
	const Child child_;
};

void as_nobody()
{
	become(nobody, 0);
}

// Everybody that can be attached to, and how he came to be.
class Zoo {
public:
	// The kinds of processes, in the order in which they are made.
	enum Kind { plain, closed, other, root, set_uid, user_ns, pid_ns, mount_ns, container, kinds };
	static constexpr const char *names[kinds] = {
		"nobody's process",	 "nobody's, not dumpable",
		"another user's",	 "root's",
		"a set-uid program",	 "in a user namespace",
		"in a pid namespace",	 "in a mount namespace",
		"in nobody's container",
	};

	Zoo()
	{
		const auto nothing = [] {};
		const auto in = [](int flags) { need(unshare(flags), "unshare"); };

		add(nothing, false, as_nobody);
		add(nothing, false, [] {
			as_nobody();
			need(prctl(PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE");
		});
		add(nothing, false, [] { become(somebody, 0); });
		add(nothing, false, nothing);
		pids_.push_back(exec_set_uid());
		add(as_nobody, false, enter_user_namespace);
		add([=] { in(CLONE_NEWPID); }, true, as_nobody);
		add([=] { in(CLONE_NEWNS); }, false, as_nobody);
		add(
			[=] {
				as_nobody();
				enter_user_namespace();
				in(CLONE_NEWPID | CLONE_NEWNS);
			},
			true, nothing);
	}

	pid_t pid(int kind) const { return pids_[kind]; }

private:
	void add(const std::function<void()> &outside, bool forks, const std::function<void()> &inside)
	{
		targets_.push_back(std::make_unique<Target>(outside, forks, inside));
		const pid_t pid = *targets_.back()->pid();
		pids_.push_back(pid);
	}
	// Its input ends with this process.
	pid_t exec_set_uid()
	{
		int ends[2];

		need(pipe2(ends, O_CLOEXEC), "pipe2");
		const Fd input(ends[0]);
		input_ = Fd(ends[1]);
		program_child_ = std::make_unique<Child>([&] {
			as_nobody();
			dup2(input.get(), 0);
			dup2(open("/dev/null", O_WRONLY), 1);
			execl(program_.path().c_str(), "program", "wait", nullptr);
		});
		const auto status = "/proc/" + std::to_string(program_child_->pid()) + "/status";
		need_that(soon([&] {
				  return read_file(status).find("Uid:\t65534\t0\t0\t0\n") !=
					 std::string::npos;
			  }),
			  "the set-uid program runs");
		return program_child_->pid();
	}

	const SetUidProgram program_{"uapi_target"};
	Fd input_;
	std::unique_ptr<Child> program_child_;
	std::vector<std::unique_ptr<Target>> targets_;
	std::vector<pid_t> pids_;
};

struct Attacker {
	const char *name;
	id_t user;
	uint64_t capabilities;
	bool in_namespace = false;

	void be() const
	{
		become(user, capabilities);
		if (in_namespace)
			enter_user_namespace();
	}
};

const Attacker attackers[] = {
	{"root", 0, all},
	{"root without capabilities", 0, 0},
	{"nobody", nobody, 0},
	{"nobody with CAP_PERFMON", nobody, perfmon},
	{"nobody with CAP_SYS_PTRACE", nobody, ptrace},
	{"nobody with both", nobody, perfmon | ptrace},
	{"nobody with CAP_SYS_ADMIN", nobody, admin},
	{"nobody with what does not matter", nobody, all & ~(perfmon | ptrace | admin)},
	{"nobody as root of a user namespace", nobody, 0, true},
};

// What is known of perf_event_open(2), in the words of its manual page and of
// ptrace(2) (PTRACE_MODE_READ_REALCREDS): 0 or the error.
int known(const Attacker &who, int kind, int level, bool kernel_ticks)
{
	// Debian's own level 3 does not know CAP_PERFMON.
	if (level > 2 && !(who.capabilities & admin))
		return EACCES;
	if (who.capabilities & (perfmon | admin))
		return 0;
	if (kernel_ticks && level > 1)
		return EACCES;
	if (who.capabilities & ptrace)
		return 0;
	const bool own = kind == Zoo::plain || kind == Zoo::user_ns || kind == Zoo::pid_ns ||
			 kind == Zoo::mount_ns || kind == Zoo::container;
	return who.user == nobody && own && !who.in_namespace ? 0 : EACCES;
}

struct Answer {
	int by_kernel, by_module, by_library;
};

int ask_kernel(pid_t pid, bool kernel_ticks, Fd &proof)
{
	proof = open_proof({.pid = pid, .exclude_kernel = !kernel_ticks});
	return proof.get() < 0 ? errno : 0;
}

int ask_library(const profil_start &how, pid_t pid)
{
	const std::unique_ptr<profil_session, void (*)(profil_session *)> session(profil_session_open(),
										  profil_session_close);
	profil_spec spec = {};
	profil_target target = {};

	need_that(session != nullptr, "a session");
	spec.size = sizeof(spec);
	spec.flags = how.flags;
	spec.period = how.period;
	spec.regions = reinterpret_cast<const profil_region *>(how.regions);
	spec.nr_regions = how.nr_regions;
	target.pid = pid;
	target.spec = &spec;
	profil_attach(session.get(), &target, 1);
	return target.error;
}

// Without a descriptor there is nothing to show to the module.
Answer ask(pid_t pid, bool kernel_ticks)
{
	const Device device;
	const Memory memory(page);
	auto how = describe(region_on(memory.at()), period_nobody);
	Answer answer;
	Fd proof;

	how.flags = kernel_ticks ? PROFIL_KERNEL_TICKS : 0;
	answer.by_kernel = ask_kernel(pid, kernel_ticks, proof);
	how.proof = proof.get();
	answer.by_module = answer.by_kernel ? answer.by_kernel : device.call(PROFIL_ATTACH, &how);
	answer.by_library = ask_library(how, pid);
	return answer;
}

struct Answers {
	Answer of[Zoo::kinds][2];
};

void check_all(const Zoo &zoo, int level, const std::string &circumstances)
{
	const Setting setting(paranoid, std::to_string(level));

	for (const Attacker &attacker : attackers) {
		const auto answers = in_child([&] {
			Answers all_of_them;

			attacker.be();
			for (int kind = 0; kind < Zoo::kinds; kind++)
				for (const bool kernel_ticks : {false, true})
					all_of_them.of[kind][kernel_ticks] = ask(zoo.pid(kind), kernel_ticks);
			return all_of_them;
		});
		for (int kind = 0; kind < Zoo::kinds; kind++)
			for (const bool kernel_ticks : {false, true}) {
				const Answer &answer = answers.of[kind][kernel_ticks];

				CAPTURE(circumstances, level, attacker.name, Zoo::names[kind], kernel_ticks);
				CHECK(answer.by_kernel == known(attacker, kind, level, kernel_ticks));
				CHECK(answer.by_module == answer.by_kernel);
				CHECK(answer.by_library == answer.by_kernel);
			}
	}
}

// One check is thousands of attachments, and each waits for grace periods.
std::vector<int> levels()
{
	return slowness() == 1 ? std::vector{-1, 0, 1, 2, 3} : std::vector{2};
}

bool no_yama()
{
	if (std::filesystem::exists(ptrace_scope))
		return false;
	WARN("this kernel has no yama");
	return true;
}

// Nobody in a container: a user, pid and mount namespace of his own.
template <typename F> auto in_container(F run)
{
	return in_child([&] {
		as_nobody();
		enter_user_namespace();
		need(unshare(CLONE_NEWPID | CLONE_NEWNS), "unshare");
		return in_child(run);
	});
}

} // namespace

TEST_CASE_METHOD(AtRest, "who may attach is exactly who may perf_event_open, at every perf_event_paranoid",
		 "[attach][privilege][slow]")
{
	const Zoo zoo;

	for (const int level : levels())
		check_all(zoo, level, "yama as it was");
}

TEST_CASE_METHOD(AtRest, "yama's ptrace_scope changes nothing, as it changes nothing for perf",
		 "[attach][privilege][slow]")
{
	if (no_yama())
		return;
	const Zoo zoo;

	for (const char *scope : {"0", "1", "2"}) {
		const Setting setting(ptrace_scope, scope);
		check_all(zoo, 2, std::string("yama ") + scope);
	}
}

// It cannot be undone.
TEST_CASE_METHOD(AtRest, "yama's ptrace_scope 3 changes nothing either", "[attach][privilege][slow][last]")
{
	if (no_yama())
		return;
	const Zoo zoo;

	write_file(ptrace_scope, "3");
	for (const int level : levels())
		check_all(zoo, level, "yama 3");
}

TEST_CASE_METHOD(AtRest, "in a container its own processes are attached to, by their numbers there",
		 "[attach][privilege]")
{
	const Setting usual(paranoid, "2");
	struct Seen {
		Answer child, first;
		pid_t pid, told;
		uint32_t what;
	};

	const auto seen = in_container([] {
		Seen result = {};
		Child target([] { pause(); });

		result.pid = target.pid();
		result.child = ask(result.pid, false);
		result.first = ask(1, false); // itself; the machine's first has no number here
		const Device device;
		const Memory memory(page);
		device.attach(describe(region_on(memory.at()), period_nobody),
			      open_proof({.pid = result.pid, .exclude_kernel = true}).get());
		kill(result.pid, SIGKILL);
		const auto events = device.read_events();
		need_that(events.size() == 1, "one event");
		result.told = events[0].pid;
		result.what = events[0].what;
		return result;
	});
	CHECK(seen.pid == 2);
	CHECK(seen.child.by_kernel == 0);
	CHECK(seen.child.by_module == 0);
	CHECK(seen.child.by_library == 0);
	CHECK(seen.first.by_kernel == 0);
	CHECK(seen.first.by_module == 0);
	CHECK(seen.first.by_library == 0);
	CHECK(seen.told == 2);
	CHECK(seen.what == PROFIL_EVENT_EXIT);
}

TEST_CASE_METHOD(AtRest, "everybody profiles himself, also where perf is forbidden", "[attach][privilege]")
{
	const Setting forbidden(paranoid, "3");
	struct Counted {
		uint64_t ticks, counter;
	};
	const auto count = [] {
		const Device device;
		const Burner burner;
		const Memory memory(page);
		Counted result;

		device.start(describe(region_on(memory.at()), period_nobody));
		result.ticks = burn_ticks(device, burner, counted_text, 3);
		result.counter = counter<uint64_t>(memory);
		device.stop();
		return result;
	};
	const auto check = [](const Counted &counted) {
		CHECK(counted.ticks >= 3);
		CHECK(counted.counter == counted.ticks);
	};

	for (const Attacker &attacker : attackers) {
		CAPTURE(attacker.name);
		check(in_child([&] {
			attacker.be();
			return count();
		}));
	}
	check(in_container(count));
	check(in_child([&] { // as a set-uid program does
		need(setresuid(nobody, 0, 0), "setresuid");
		need(prctl(PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE");
		return count();
	}));
	check(in_child([&] {
		const Device opened_before;
		as_nobody();
		need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
		return count();
	}));
}

TEST_CASE_METHOD(AtRest, "a namespace of one's own lifts no limit", "[attach][privilege]")
{
	const Setting limit = module_parameter("max_user_pages", 3);
	const auto start = [](const Device &device, const Memory &memory, size_t pages,
			      uint64_t period = period_nobody) {
		auto region = region_on(memory.at());
		region.bytes = pages * page;
		auto how = describe(region, period);
		return device.call(PROFIL_START, &how);
	};
	struct Errors {
		int above, period, all, at, outside;
		uint64_t used, most;
	};

	const auto errors = in_child([&] {
		as_nobody();
		const Gate begin, end;
		ChildOf<Errors> inside([&] {
			const Device device;
			const Memory memory(4 * page);
			profil_stop_all stop_all = {};
			profil_info info = {};
			Errors result = {};

			enter_user_namespace();
			result.above = start(device, memory, 4);
			result.period = start(device, memory, 3, 1'000'000'000 / 1024 - 1);
			stop_all.size = sizeof(stop_all);
			result.all = device.call(PROFIL_STOP_ALL, &stop_all);
			result.at = start(device, memory, 3);
			info.size = sizeof(info);
			need_that(device.call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
			result.used = info.pages_used;
			result.most = info.pages_max;
			begin.open();
			end.wait();
			return result;
		});
		begin.wait();
		const Device device;
		const Memory memory(page);
		const int outside = start(device, memory, 1);
		end.open();
		Errors result = inside.result();
		result.outside = outside;
		return result;
	});
	CHECK(errors.above == EDQUOT);
	CHECK(errors.period == ERANGE);
	CHECK(errors.all == EPERM);
	CHECK(errors.at == 0);
	CHECK(errors.used == 3);
	CHECK(errors.most == 3);
	// His pages there are his pages here.
	CHECK(errors.outside == EDQUOT);
}

TEST_CASE_METHOD(AtRest, "attached profiles are within the user's limits, as his own are",
		 "[attach][privilege]")
{
	const Setting usual(paranoid, "2");
	struct Errors {
		int first, second, again;
	};
	const auto attach_two = [] {
		return in_child([] {
			as_nobody();
			const Child targets[] = {Child([] { pause(); }), Child([] { pause(); })};
			Device device;
			const Device other;
			const Memory memory(page);
			const auto attach = [&](const Device &to, const Child &target) {
				const Fd proof = open_proof({.pid = target.pid(), .exclude_kernel = true});
				auto how = describe(region_on(memory.at()), period_nobody);
				how.proof = proof.get();
				return to.call(PROFIL_ATTACH, &how);
			};
			Errors result;

			result.first = attach(device, targets[0]);
			result.second = attach(other, targets[1]);
			// What was refused holds nothing.
			device.close();
			soon([&] { return (result.again = attach(other, targets[1])) == 0; });
			return result;
		});
	};
	for (const char *name : {"max_user_profiles", "max_user_pages", "max_user_watches"}) {
		const Setting limit = module_parameter(name, 1);
		const auto errors = attach_two();

		CAPTURE(name);
		CHECK(errors.first == 0);
		CHECK(errors.second == EDQUOT);
		CHECK(errors.again == 0);
	}
}
