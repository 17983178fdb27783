// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/abilities.h"

#include <cerrno>
#include <fmt/format.h>

namespace cli {
namespace {

using Commands = std::vector<std::string>;

constexpr char reboot[] = "sudo reboot";

/** A path, quoted as one word for a shell. */
std::string quoted(const std::string &path)
{
	constexpr char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";
	std::string text = "'";

	if (path.find_first_not_of(plain) == path.npos)
		return path;
	for (const char letter : path)
		text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
	return text + "'";
}

const ModuleFile *file_of(const Machine &machine)
{
	if (machine.installed)
		return &*machine.installed;
	return machine.built ? &*machine.built : nullptr;
}

Commands commands_to_load(const Machine &machine)
{
	if (machine.installed && machine.installed->known_to_modprobe)
		return {"sudo modprobe profil"};
	if (machine.installed)
		return {"sudo depmod", "sudo modprobe profil"};
	if (machine.built)
		return {"sudo insmod " + quoted(machine.built->path)};
	return {"make insmod"};
}

/* Sign with DKMS' key, if it exists: that key may be enrolled already. */
Commands commands_to_sign(const Machine &machine, const ModuleFile &file)
{
	const bool dkms = !machine.signing_key.empty();
	const std::string certificate = dkms ? machine.signing_key : "MOK.der";
	const std::string key = dkms ? "/var/lib/dkms/mok.key" : "MOK.key";
	Commands commands;

	if (!dkms)
		commands.emplace_back(
			"openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=profil "
			"-keyout MOK.key -outform DER -out MOK.der");
	commands.push_back(fmt::format("sudo /lib/modules/{}/build/scripts/sign-file sha256 {} {} {}",
				       machine.release, key, certificate, quoted(file.path)));
	commands.push_back("sudo mokutil --import " + certificate);
	commands.emplace_back(reboot);
	return commands;
}

Ability refused_unsigned(const Machine &machine, const ModuleFile &file)
{
	const std::string what = fmt::format("the module is not loaded: {} is not signed, and ", file.path);

	if (machine.secure_boot.value_or(false))
		return {"module", false,
			what + "Secure Boot accepts only signed modules (after the reboot, the firmware asks "
			       "whether to enroll the key; then load the module)",
			commands_to_sign(machine, file)};
	return {"module",
		false,
		what + "this kernel accepts only signed modules (remove lockdown= or module.sig_enforce from "
		       "its command line)",
		{"sudoedit /etc/default/grub", "sudo update-grub", reboot}};
}

constexpr char dkms_directory[] = "/updates/dkms/";

/*
 * A signature is not enough: its key must be enrolled.  Whether DKMS signed the module is only
 * known from the module's directory, because the module itself may be compressed.
 */
Ability not_loaded_signed(const Machine &machine, const ModuleFile &file)
{
	const bool of_dkms = !machine.signing_key.empty() && file.path.find(dkms_directory) != file.path.npos;

	if (of_dkms && machine.signing_key_enrolled == false)
		return {"module",
			false,
			fmt::format(
				"the module is not loaded: the key of {}, with which DKMS signs, is not "
				"enrolled, so modprobe says 'Key was rejected by service' (after the "
				"reboot, the firmware asks whether to enroll the key; then load the module)",
				machine.signing_key),
			{"sudo mokutil --import " + machine.signing_key, reboot}};
	if (machine.signing_key_enrolled == true)
		return {"module", false, "the module is not loaded", commands_to_load(machine)};
	return {"module", false,
		"the module is not loaded (if that says 'Key was rejected by service', it is not signed, or "
		"its key is not enrolled" +
			(of_dkms ? ": 'sudo mokutil --import " + machine.signing_key + "', and reboot)"
				 : std::string(": mokutil(1))")),
		commands_to_load(machine)};
}

Ability not_loaded(const Machine &machine)
{
	const ModuleFile *file = file_of(machine);

	if (!machine.takes_modules)
		return {"module",
			false,
			fmt::format("the module cannot be loaded: kernel {} does not support modules "
				    "(CONFIG_MODULES is off); boot one that does",
				    machine.release),
			{install_kernel, reboot}};
	if (machine.modules_disabled)
		return {"module",
			false,
			"the module cannot be loaded: kernel.modules_disabled is 1, until the next boot",
			{reboot}};
	if (file && machine.demands_signatures && !file->has_signature.value_or(true))
		return refused_unsigned(machine, *file);
	if (file && machine.demands_signatures)
		return not_loaded_signed(machine, *file);
	if (file)
		return {"module", false, "the module is not loaded", commands_to_load(machine)};
	return {"module", false,
		fmt::format("the module is not loaded, and there is none for kernel {} (build it, in the "
			    "directory of "
			    "profil's sources)",
			    machine.release),
		commands_to_load(machine)};
}

} // namespace

Ability judge_module(const Machine &machine, const Permissions &permissions)
{
	const std::string version = machine.version.empty() ? "of unknown version" : machine.version;

	if (!machine.loaded)
		return not_loaded(machine);
	if (permissions.module_error == EPROTO) {
		const std::vector<std::string> load = commands_to_load(machine);
		std::vector<std::string> commands = {"sudo rmmod profil"};

		commands.insert(commands.end(), load.begin(), load.end());
		return {"module", false,
			fmt::format("the loaded module, {}, has a different interface from this command, {}: "
				    "load the module that matches it",
				    version, profil_version()),
			commands};
	}
	if (machine.version == profil_version())
		return {"module",
			true,
			fmt::format("the module is loaded: {}, as this command", version),
			{}};
	return {"module",
		true,
		fmt::format("the module is loaded: {}, with the interface of this command, {}", version,
			    profil_version()),
		{}};
}

} // namespace cli
