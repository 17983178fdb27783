// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gate.h"

#include "libprofil/shared.h"

#include <atomic>
#include <cerrno>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc: true as long as no other thread has been created.  Other C libraries do not define it. */
extern "C" {
extern char __libc_single_threaded __attribute__((weak));
}

namespace libprofil {

namespace {

/*
 * Wait until every tick that has begun on another CPU has ended.  membarrier(2) interrupts
 * each CPU that runs a thread of this process, and ticks run with interrupts off.
 *
 * In a process with one thread, only that thread can have ticks, so no system call is
 * needed, which a filter might forbid.  (glibc does not know of threads that a program
 * creates with clone(CLONE_VM) itself: a tick of such a thread may end a moment after this.)
 */
bool wait_for_ticks()
{
	if (&__libc_single_threaded && __libc_single_threaded)
		return true;
	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		return true;
	return errno == EPERM && !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) &&
	       !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

} // namespace

profil_gate *next_gate()
{
	Shared &all = shared();
	profil_gate *gate;

	do
		gate = &all.gate[all.taken.fetch_add(1, std::memory_order_relaxed) % Shared::gates_nr];
	while (gate == all.current.load(std::memory_order_acquire));
	gate->stored = 0;
	return gate;
}

void opened(profil_gate *gate, uint32_t value)
{
	Shared &all = shared();

	all.current.store(gate, std::memory_order_release);
	all.open.store(std::atomic_ref(gate->value).load(std::memory_order_acquire) == value,
		       std::memory_order_release);
}

bool was_opened()
{
	return is_shared() && shared().current.load(std::memory_order_acquire) != nullptr;
}

bool shut_gates(uint64_t &stored)
{
	Shared &all = shared();
	const bool was_open = all.open.exchange(false, std::memory_order_acq_rel);
	profil_gate *const gate = all.current.load(std::memory_order_acquire);

	for (profil_gate &each : all.gate)
		std::atomic_ref(each.value).fetch_add(1, std::memory_order_seq_cst);

	const bool certain = wait_for_ticks();

	stored = was_open && gate ? std::atomic_ref(gate->stored).load(std::memory_order_relaxed) : 0;
	return certain;
}

} // namespace libprofil
