// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner of a program in a recording, as probes find it.
 *
 * Context: tracepoint probe
 */
#include "follow/follow.h"

#include "record/record.h"

static bool profil_program_find(struct profil_recording *recording,
				const struct profil_program *program, struct task_struct *task,
				struct profil_spare *spare, struct profil_owned *owned)
{
	*owned = program->parent;
	if (!program->file)
		return profil_recording_fork(recording, task, program->pid, spare, owned);
	return profil_recording_owner(recording, program->file, program->name, task, spare, owned);
}

/**
 * profil_program_owner() - the owner of a program
 * @profile: of a recording, whose pool has the memory for it
 * @program: the program
 * @task: of the process that runs it
 *
 * Context: Any but hard interrupt.
 * Return: its owner; &profil_recording.nobody without memory or numbers.
 */
struct profil_owned profil_program_owner(const struct profil_profile *profile,
					 const struct profil_program *program,
					 struct task_struct *task)
{
	struct profil_recording *recording = profile->recording;
	/* A fork counts for the parent, and an exec for the user who executes the program. */
	struct profil_spare spare = { .payer = profil_payer() };
	struct profil_owned owned;
	unsigned int i;

	/* Mostly it has an owner already, and no memory is needed. */
	if (profil_program_find(recording, program, task, &spare, &owned))
		return owned;
	BUILD_BUG_ON(sizeof(*spare.node[0]) > PROFIL_NODE_SIZE);
	for (i = 0; i < ARRAY_SIZE(spare.node); i++)
		spare.node[i] = profil_recording_take(recording, 0);
	if (!profil_program_find(recording, program, task, &spare, &owned))
		owned = recording->nobody;
	for (i = 0; i < ARRAY_SIZE(spare.node); i++)
		if (spare.node[i])
			profil_pool_give(&recording->pool, spare.node[i]);
	return owned;
}
