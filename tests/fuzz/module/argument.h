// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/argument.h  What the commands of /dev/profil are given: mostly good, now and then not. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <cstddef>
#include <cstdint>
#include <linux/profil.h>
#include <sys/ioctl.h>
#include <sys/types.h>

namespace fuzz {

constexpr unsigned unknown_command = _IO(PROFIL_TYPE, 0x87);
constexpr unsigned commands[] = {PROFIL_INFO,	PROFIL_START,  PROFIL_START,	PROFIL_START,	PROFIL_START,
				 PROFIL_STOP,	PROFIL_STATUS, PROFIL_STATUS,	PROFIL_ATTACH,	PROFIL_ATTACH,
				 PROFIL_ATTACH, PROFIL_UPDATE, PROFIL_STOP_ALL, unknown_command};

/** A structure, and what follows it, which no command may write. */
struct Argument {
	union {
		uint32_t size;
		profil_info info;
		profil_start start;
		profil_stop stop;
		profil_status status;
		profil_update update;
		profil_stop_all stop_all;
		unsigned char bytes[256];
	};
	unsigned char canary[64];
};

/** Those beyond the most that are filled in are refused. */
struct Regions {
	static constexpr size_t most = 24;
	profil_region region[most];
	profil_region nothing[most];
};

uint32_t size_of(unsigned command);

/** A structure as the command accepts it, most of the time. */
void make(Random &random, unsigned command, Argument &argument, Regions &regions);
/** A few bits in the structure, its regions, or another size. */
void spoil(Random &random, Argument &argument, Regions &regions, uint32_t size);
/** The pointers of a spoilt structure must not lead into our own memory. */
bool harmless(unsigned command, const Argument &argument, const Argument &before);
/** What permits to attach to a process or thread; now and then refused. */
int make_proof(Random &random, pid_t target);
/** Where no structure can be, or not all of it. */
void *bad_pointer(Random &random);

} // namespace fuzz
