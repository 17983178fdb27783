// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/device.h  The open /dev/profil and its commands. */
#pragma once

#include "libprofil/fd.h"

#include <cstddef>
#include <cstdint>
#include <linux/profil.h>

namespace libprofil {

/**
 * An open /dev/profil whose module speaks our version of the interface.
 *
 * Async-signal-safe.  Every command returns 0 or an errno value.  Profile
 * number 0 is the calling process's own.
 */
class Device {
public:
	/** Open the device and compare PROFIL_ABI. */
	[[nodiscard]] int open();

	/** PROFIL_INFO.  @param info any version of the structure; only its size is read. */
	[[nodiscard]] int info(profil_info *info) const;

	/**
	 * PROFIL_STOP.
	 * @param stored receives the number of PCs stored, unless NULL.
	 * @param flags 0 or PROFIL_STOP_KEEP.
	 */
	[[nodiscard]] int stop(uint32_t profile, uint64_t *stored, uint32_t flags = 0) const;

	/** Issue a command.  @param structure filled in by the caller; may be of any version. */
	[[nodiscard]] int sized(unsigned long number, void *structure) const;

	/** PROFIL_STATUS.  @param status as in info(). */
	[[nodiscard]] int status(uint32_t profile, profil_status *status) const;

	/** PROFIL_STOP_ALL. */
	[[nodiscard]] int stop_all() const;

	/** Descriptor number, or -1. */
	[[nodiscard]] int fd() const { return fd_.get(); }

	/**
	 * Give the descriptor a number that programs seldom use: the lowest ones may be meant to be
	 * standard input and output.
	 */
	void raise();
	/** False if the program has closed the descriptor, and perhaps opened something else there. */
	[[nodiscard]] bool is_open() const;
	/** Close the device, unless the program has done so. */
	void close();

private:
	[[nodiscard]] int command(unsigned long number, void *argument) const;
	[[nodiscard]] int check_abi() const;

	Fd fd_;
};

} // namespace libprofil
