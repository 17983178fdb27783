// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/credentials.h  Users, their capabilities and containers, for tests of
 * permissions.
 */
#pragma once

#include "tests/guest/support/guest.h"

#include <csignal>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace guest {

constexpr id_t nobody = 65534, somebody = 1001;

constexpr uint64_t bit(unsigned capability)
{
	return uint64_t{1} << capability;
}

constexpr uint64_t all_capabilities = ~uint64_t{0}, perfmon = bit(CAP_PERFMON), ptrace = bit(CAP_SYS_PTRACE),
		   admin = bit(CAP_SYS_ADMIN);

/** Keep some of root's capabilities, optionally as another user, and stay traceable. */
inline void become(id_t user, uint64_t capabilities)
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

/** While this lives, perf gives root no more permission than any user, at perf_event_paranoid 1. */
class WithoutPerfmon {
public:
	WithoutPerfmon()
	{
		need(static_cast<int>(syscall(SYS_capget, &header_, before_)), "capget");
		__user_cap_data_struct without[2] = {before_[0], before_[1]};

		for (int i = 0; i < 2; i++)
			without[i].effective &= ~static_cast<uint32_t>((perfmon | admin) >> 32 * i);
		need(static_cast<int>(syscall(SYS_capset, &header_, without)), "capset");
	}
	WithoutPerfmon(const WithoutPerfmon &) = delete;
	WithoutPerfmon &operator=(const WithoutPerfmon &) = delete;
	~WithoutPerfmon()
	{
		if (syscall(SYS_capset, &header_, before_))
			dprintf(2, "cannot get the capabilities back\n");
	}

private:
	const Setting setting_{"/proc/sys/kernel/perf_event_paranoid", "1"};
	__user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
	__user_cap_data_struct before_[2] = {};
};

/** Enter a new user namespace, as its root; outside, the user stays the same. */
inline void enter_user_namespace()
{
	const auto map = "0 " + std::to_string(geteuid()) + " 1";

	need(unshare(CLONE_NEWUSER), "CLONE_NEWUSER");
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", map);
}

inline void as_nobody()
{
	become(nobody, 0);
}

struct Attacker {
	const char *name;
	uint64_t capabilities;
	id_t user;
	bool in_namespace = false;

	void be() const
	{
		become(user, capabilities);
		if (in_namespace)
			enter_user_namespace();
	}
};

const Attacker attackers[] = {
	{"root", all_capabilities, 0},
	{"root without capabilities", 0, 0},
	{"nobody", 0, nobody},
	{"nobody with CAP_PERFMON", perfmon, nobody},
	{"nobody with CAP_SYS_PTRACE", ptrace, nobody},
	{"nobody with both", perfmon | ptrace, nobody},
	{"nobody with CAP_SYS_ADMIN", admin, nobody},
	{"nobody with all other capabilities", all_capabilities & ~(perfmon | ptrace | admin), nobody},
	{"nobody as root of a user namespace", 0, nobody, true},
};

/** Run as nobody in a container: a new user, pid and mount namespace. */
template <typename F> auto in_container(F run)
{
	return in_child([&] {
		as_nobody();
		enter_user_namespace();
		need(unshare(CLONE_NEWPID | CLONE_NEWNS), "unshare");
		return in_child(run);
	});
}

} // namespace guest
