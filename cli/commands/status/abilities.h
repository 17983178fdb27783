// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/abilities.h  What works here, and how to make the rest work. */
#pragma once

#include "cli/commands/status/machine.h"
#include "cli/commands/status/permissions.h"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The command that installs Debian's kernel on a machine like this one. */
#ifdef __aarch64__
inline constexpr char install_kernel[] = "sudo apt install linux-image-arm64";
#else
inline constexpr char install_kernel[] = "sudo apt install linux-image-amd64";
#endif

/** Something that profil can, or cannot, do here. */
struct Ability {
	std::string_view key; /**< module, device, self, memory, perf, own, kernel or others */
	bool can = false;
	std::string text; /**< the ability, or why it is missing */
	/** If the ability is missing: shell commands that would provide it, in order. */
	std::vector<std::string> commands;
};

/**
 * Derive the abilities of profil from the facts found.
 *
 * An ability that is missing only because another one is missing is left out, so
 * each missing ability in the result has its own commands.
 */
std::vector<Ability> judge(const Machine &machine, const Permissions &permissions);

/** The ability "module" of judge(). */
Ability judge_module(const Machine &machine, const Permissions &permissions);

} // namespace cli
