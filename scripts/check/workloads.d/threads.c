// SPDX-License-Identifier: GPL-2.0-or-later
/* A workload of threads: eight, each with a function of its own. */
#include <pthread.h>
#include <stdint.h>

#define FUNCTION(name, factor)                                  \
	static void *name(void *result)                         \
	{                                                       \
		volatile uint64_t *value = result;              \
                                                                \
		for (;;)                                        \
			*value = *value * (factor) + (factor);  \
		return NULL;                                    \
	}

FUNCTION(first, 3)
FUNCTION(second, 5)
FUNCTION(third, 7)
FUNCTION(fourth, 11)
FUNCTION(fifth, 13)
FUNCTION(sixth, 17)
FUNCTION(seventh, 19)
FUNCTION(eighth, 23)

int main(void)
{
	void *(*const functions[])(void *) = {first, second, third, fourth, fifth, sixth, seventh, eighth};
	pthread_t threads[8];
	uint64_t values[8];

	for (int i = 0; i < 8; i++) {
		if (pthread_create(&threads[i], NULL, functions[i], &values[i]))
			return 1;
	}
	return pthread_join(threads[0], NULL);
}
