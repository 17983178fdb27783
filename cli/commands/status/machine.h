// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/machine.h  The module's state, and obstacles to loading it. */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cli {

/** A profil.ko for the running kernel. */
struct ModuleFile {
	std::string path;
	/** True if the file is signed; nullopt if it is compressed or cannot be read. */
	std::optional<bool> has_signature;
	bool known_to_modprobe = false; /**< modules.dep lists it */
};

/** The node /dev/profil. */
struct DeviceNode {
	mode_t mode = 0; /**< including the file type */
	std::string user;
	std::string group;
};

/** Facts about the module, and about the kernel that is to load it. */
struct Machine {
	std::string release; /**< the kernel's release */

	bool takes_modules = false;	 /**< CONFIG_MODULES */
	bool modules_disabled = false;	 /**< kernel.modules_disabled */
	std::optional<bool> secure_boot; /**< the firmware's state; nullopt without EFI */
	std::string lockdown;		 /**< "none", "integrity" or "confidentiality"; empty without it */
	bool demands_signatures = false; /**< the kernel loads only signed modules */
	std::string signing_key;	 /**< DKMS' certificate for signing modules, if there is one */
	/** True if the machine's owner has enrolled signing_key; nullopt if this cannot be read. */
	std::optional<bool> signing_key_enrolled;
	std::optional<ModuleFile> installed;
	std::optional<ModuleFile> built; /**< in the build directory of this command */

	bool loaded = false;
	std::string version;			    /**< the version of the loaded module */
	std::map<std::string, uint64_t> parameters; /**< the module's numeric parameters */
	/** The numbers in /sys/class/misc/profil, by file name; unreadable files are left out. */
	std::map<std::string, uint64_t> totals;
	std::map<std::string, uint64_t> ticks; /**< all ticks by cause; only root can read them */
	std::string device_number;	       /**< "10:123" */
	std::optional<DeviceNode> device;

	std::optional<long> paranoid;	  /**< kernel.perf_event_paranoid; nullopt without perf */
	std::optional<long> ptrace_scope; /**< kernel.yama.ptrace_scope; nullopt without Yama */
};

/**
 * Read all of these facts.
 * @param root used as "/": empty, or a directory with proc, sys, dev and lib.
 * @param release the release of the kernel that runs there.
 * @param build a build directory, which may contain a module.
 */
Machine read_machine(const std::string &root, const std::string &release, const std::string &build);

/** The directory of this program's file. */
std::string program_directory();

} // namespace cli
