// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil: the execution-time profile of Unix, counted in the kernel.
 *
 * Unloading is safe: each file, profile and layout holds a reference to the module, so
 * none is left when profil_exit() runs.  Other code that may still run in the module's text
 * then, and the calls that wait for it:
 *  - a command or a release: needs no wait, because the file holds a reference
 *  - a probe: profil_follow_exit(); the clock's own probe: profil_sources_exit()
 *    (both call tracepoint_synchronize_unregister())
 *  - the last work items, one of which dropped the last reference:
 *    profil_work_exit()
 *  - work that ticks queue: profil_life_exit(); for waiting ticks: profil_unmet_exit(),
 *    profil_work_exit()
 *  - a call on other CPUs that looks at their tasks: profil_sources_exit()
 *  - a tick: profil_sources_exit() waits until the clock has stopped and the counters of events
 *    are released, and profil_work_exit() waits for the grace period after that
 *  - the last instructions of a queued check, birth, deferred tick or question after its
 *    last put: synchronize_rcu_tasks(), because the task then goes to user mode or sleeps
 *  - the callback of queue_rcu_work(): it is the kernel's own, but rcu_barrier() waits
 *    for it before the workqueue to which it adds its work is destroyed
 *
 * Context: process
 */
#include "base/limits.h"
#include "device/device.h"
#include "follow/follow.h"
#include "life/life.h"
#include "source/source.h"
#include "tick/note.h"

#include <linux/module.h>

static int __init profil_init(void)
{
	int err;

	err = profil_work_init();
	if (err)
		return err;
	profil_limits_init();
	profil_bindings_init();
	profil_life_init();
	err = profil_unmet_init();
	if (err)
		goto exit_work;
	err = profil_sources_init();
	if (err)
		goto exit_unmet;
	err = profil_follow_init();
	if (err)
		goto exit_sources;
	err = profil_modules_init();
	if (err)
		goto exit_follow;
	err = profil_device_init();
	if (err)
		goto exit_modules;
	return 0;

exit_modules:
	profil_modules_exit();
exit_follow:
	profil_follow_exit();
	profil_life_exit();
exit_sources:
	profil_sources_exit();
exit_unmet:
	profil_unmet_exit();
exit_work:
	profil_work_exit();
	return err;
}

static void __exit profil_exit(void)
{
	profil_device_exit();
	profil_modules_exit();
	profil_follow_exit();
	rcu_barrier();
	profil_life_exit();
	profil_sources_exit();
	profil_unmet_exit();
	profil_work_exit();
	synchronize_rcu_tasks();
}

module_init(profil_init);
module_exit(profil_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Execution-time profile of processes: profil(2), sprofil(2), pcsample(2)");
MODULE_VERSION("0.1.0");
