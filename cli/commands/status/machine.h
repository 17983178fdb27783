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
	/** True if the file is signed; nothing if it is compressed or cannot be read. */
	std::optional<bool> has_signature;
	bool known_to_modprobe = false; /**< it is in modules.dep */
};

/** The node /dev/profil. */
struct DeviceNode {
	mode_t mode = 0; /**< including the file type */
	std::string user;
	std::string group;
};

/** The facts about the module, and about the kernel that it is for. */
struct Machine {
	std::string release; /**< the kernel's release */

	bool takes_modules = false;	 /**< CONFIG_MODULES */
	bool modules_disabled = false;	 /**< kernel.modules_disabled */
	std::optional<bool> secure_boot; /**< the firmware's state; nothing without EFI */
	std::string lockdown;		 /**< "none", "integrity" or "confidentiality"; empty without it */
	bool demands_signatures = false; /**< the kernel loads only signed modules */
	std::string signing_key;	 /**< DKMS' certificate for signing modules, if there is one */
	/** True if the machine's owner has enrolled signing_key; nothing if this cannot be read. */
	std::optional<bool> signing_key_enrolled;
	std::optional<ModuleFile> installed;
	std::optional<ModuleFile> built; /**< in the build directory of this command */

	bool loaded = false;
	std::string version;			    /**< of the loaded module */
	std::map<std::string, uint64_t> parameters; /**< the module's numeric ones */
	/** The numbers in /sys/class/misc/profil, by file, without files that may not be read. */
	std::map<std::string, uint64_t> totals;
	std::map<std::string, uint64_t> ticks; /**< all ticks by cause; only root can read them */
	std::string device_number;	       /**< "10:123" */
	std::optional<DeviceNode> device;

	std::optional<long> paranoid;	  /**< kernel.perf_event_paranoid; nothing without perf events */
	std::optional<long> ptrace_scope; /**< kernel.yama.ptrace_scope; nothing without Yama */
};

/**
 * Read everything.
 * @param root used as "/": empty, or a directory with proc, sys, dev and lib.
 * @param release of the kernel that runs there.
 * @param build a build directory, which may contain a module.
 */
Machine read_machine(const std::string &root, const std::string &release, const std::string &build);

/** The directory of this program's file. */
std::string program_directory();

} // namespace cli
