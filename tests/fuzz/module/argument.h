// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/argument.h  The arguments of commands on /dev/profil: mostly valid, now and then
 * not. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <cstddef>
#include <cstdint>
#include <linux/profil_record.h>
#include <sys/ioctl.h>
#include <sys/types.h>

namespace fuzz {

constexpr unsigned unknown_command = _IO(PROFIL_TYPE, 0x8a);
constexpr unsigned commands[] = {
	PROFIL_INFO,   PROFIL_START,  PROFIL_START,    PROFIL_START,	PROFIL_START,	PROFIL_STOP,
	PROFIL_STATUS, PROFIL_STATUS, PROFIL_RECORD,   PROFIL_RECORD,	PROFIL_ADD,	PROFIL_ADD,
	PROFIL_TABLE,  PROFIL_WAIT,   PROFIL_DESCRIBE, PROFIL_STOP_ALL, unknown_command};

/** Commands that the threads of a process run together, on one file and one target. */
constexpr unsigned commands_together[] = {PROFIL_RECORD,   PROFIL_RECORD,   PROFIL_RECORD, PROFIL_ADD,
					  PROFIL_ADD,	   PROFIL_ADD,	    PROFIL_TABLE,  PROFIL_TABLE,
					  PROFIL_WAIT,	   PROFIL_STATUS,   PROFIL_STATUS, PROFIL_DESCRIBE,
					  PROFIL_DESCRIBE, PROFIL_DESCRIBE, PROFIL_STOP,   PROFIL_STOP_ALL};

/** A structure, followed by bytes that no command may write. */
struct Argument {
	union {
		uint32_t size;
		profil_info info;
		profil_start start;
		profil_stop stop;
		profil_status status;
		profil_stop_all stop_all;
		profil_record record;
		profil_add add;
		profil_table table;
		profil_wait wait;
		profil_describe describe;
		unsigned char bytes[256];
	};
	unsigned char canary[64];
};

/** Regions; those after the first `most` are zero, and refused. */
struct Regions {
	static constexpr size_t most = 24;
	profil_region region[most];
	profil_region nothing[most];
};

uint32_t size_of(unsigned command);

/** Makes a structure that the command accepts most of the time. */
void make(Random &random, unsigned command, Argument &argument, Regions &regions);
/** Changes a few bits in the structure or its regions, or the size. */
void spoil(Random &random, Argument &argument, Regions &regions, uint32_t size);
/** False if a pointer of a spoilt structure could lead into our own memory. */
bool harmless(unsigned command, const Argument &argument, const Argument &before);
/**
 * Opens a proof for a target, or a system-wide one; now and then one that is refused.
 * @param event the proof is for a recording of an event, not of the clock
 */
int make_proof(Random &random, pid_t target, bool everybody, bool event);
/** An address at which a structure is not, or not completely, accessible. */
void *bad_pointer(Random &random);

} // namespace fuzz
