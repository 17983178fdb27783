// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/target.h"

#include "tests/bench/bench.h"

#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace bench {

namespace {

void *stand_still(void *)
{
	for (;;)
		pause();
}

} // namespace

pid_t standing_process(const std::function<void()> &prepare)
{
	int ready[2];
	char byte = 0;

	if (pipe(ready))
		die("pipe");
	const pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prepare();
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		stand_still(nullptr);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("a process that should stand still has ended");
	close(ready[0]);
	return pid;
}

pid_t target_with(unsigned threads)
{
	return standing_process([threads] {
		pthread_attr_t small;

		pthread_attr_init(&small);
		pthread_attr_setstacksize(&small, size_t{64} << 10);
		for (unsigned i = 1; i < threads; i++) {
			pthread_t thread;

			if ((errno = pthread_create(&thread, &small, stand_still, nullptr)))
				die("pthread_create");
		}
	});
}

} // namespace bench
