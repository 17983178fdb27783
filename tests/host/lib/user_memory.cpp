// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/user_memory.cpp  Copies from a caller's pointer, with process_vm_readv(2)
 * and without.
 */
#include "libprofil/user_memory.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <cstdint>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <numeric>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace libprofil;

namespace {

constexpr size_t page = 4096;

/** From now on, process_vm_readv(2) and process_vm_writev(2) fail, as on a kernel without them. */
void forbid_calls()
{
	sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const sock_fprog program = {sizeof code / sizeof *code, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(100);
}

/** The number of the first fact that does not hold in a process without the calls; 0 if all hold. */
int first_wrong(const std::vector<std::function<bool()>> &facts)
{
	const pid_t child = fork();
	int status = 0;

	if (!child) {
		forbid_calls();
		for (size_t i = 0; i < facts.size(); i++)
			if (!facts[i]())
				_exit(static_cast<int>(i) + 1);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/** Two pages, the second of which is not mapped. */
struct Edge {
	Edge()
		: start(static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
	{
		munmap(start + page, page);
	}
	~Edge() { munmap(start, page); }
	Edge(const Edge &) = delete;
	Edge &operator=(const Edge &) = delete;

	char *start;
};

const std::vector<std::function<bool()>> facts = {
	[] {
		std::vector<unsigned> from(100'000), to(from.size());

		std::iota(from.begin(), from.end(), 1U);
		return copy_from_caller(to.data(), from.data(), from.size() * sizeof(unsigned)) == 0 &&
		       to == from;
	},
	[] {
		std::vector<unsigned> from(100'000), to(from.size());

		std::iota(from.begin(), from.end(), 1U);
		return copy_to_caller(to.data(), from.data(), from.size() * sizeof(unsigned)) == 0 &&
		       to == from;
	},
	[] {
		const Edge edge;
		char bytes[64] = {};

		return copy_from_caller(bytes, edge.start + page - 64, 64) == 0 &&
		       copy_from_caller(bytes, edge.start + page - 32, 64) == EFAULT &&
		       copy_from_caller(bytes, edge.start + page, 64) == EFAULT &&
		       copy_from_caller(bytes, nullptr, 1) == EFAULT;
	},
	[] {
		const Edge edge;
		const char bytes[64] = {};

		return copy_to_caller(edge.start + page - 64, bytes, 64) == 0 &&
		       copy_to_caller(edge.start + page - 32, bytes, 64) == EFAULT &&
		       copy_to_caller(edge.start + page, bytes, 64) == EFAULT &&
		       copy_to_caller(nullptr, bytes, 1) == EFAULT;
	},
	[] { return copy_from_caller(nullptr, nullptr, 0) == 0 && copy_to_caller(nullptr, nullptr, 0) == 0; },
};

} // namespace

TEST_CASE("a caller's memory is copied, and missing memory is EFAULT", "[lib]")
{
	for (size_t i = 0; i < facts.size(); i++) {
		CAPTURE(i);
		CHECK(facts[i]());
	}
}

TEST_CASE("where the kernel has no process_vm_readv, bad pointers still give EFAULT", "[lib]")
{
	CHECK(first_wrong(facts) == 0);
}

TEST_CASE("no descriptor is left behind where the kernel has no process_vm_readv", "[lib]")
{
	CHECK(first_wrong({[] {
		      const rlimit few = {32, 32};
		      char bytes[2] = {};
		      bool right = setrlimit(RLIMIT_NOFILE, &few) == 0;

		      for (int i = 0; i < 40; i++)
			      right = copy_from_caller(bytes, nullptr, 1) == EFAULT && right;
		      return right;
	      }}) == 0);
}
