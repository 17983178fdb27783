// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/status/abilities.cpp  Causes that prevent profil from working,
 * and the commands that help. */
#include "tests/host/cli/commands/status/support.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"
#include "tests/support/text.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

using namespace cli_test;
using support::has;
using Commands = std::vector<std::string>;

namespace {

constexpr char directory[] = "/lib/modules/6.1.0-7";
constexpr char secure_boot[] = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
const std::string signed_module = "code~Module signature appended~\n";

cli::Ability judged(const Tree &tree, const cli::Permissions &permissions, std::string_view key)
{
	return ability(cli::judge(tree.read(), permissions), key);
}

cli::Ability module_of(const Tree &tree)
{
	return judged(tree, capable(), "module");
}

} // namespace

TEST_CASE("a machine where all is well can do everything", "[cli][status]")
{
	const Tree tree;

	write_kernel(tree);
	write_module(tree);
	const std::vector<cli::Ability> all = cli::judge(tree.read(), capable());
	std::vector<std::string> keys;

	for (const cli::Ability &one : all) {
		CAPTURE(one.text);
		CHECK(one.can);
		CHECK(one.commands.empty());
		keys.emplace_back(one.key);
	}
	CHECK(keys ==
	      std::vector<std::string>{"module", "device", "self", "memory", "own", "kernel", "others"});
	CHECK(ability(all, "self").text == "programs can profile themselves, at up to 1,023 Hz");
	CHECK(ability(all, "memory").text == "counters can be pinned: 8.0 KiB of 256.0 MiB are in use");
}

TEST_CASE("everything that cannot be done has a command that helps", "[cli][status]")
{
	const Tree empty;
	const Tree kernel;
	const Tree loaded;
	cli::Permissions helpless = capable();

	write_kernel(kernel);
	write_kernel(loaded);
	write_module(loaded);
	for (const int error : {ENOENT, ENOSYS, EPERM, EACCES, ENODEV, ENXIO, EPROTO, EMFILE, ENOTTY}) {
		helpless.module_error = helpless.own_error = helpless.kernel_error = error;
		helpless.others_error = error;
		helpless.info.pages_used = helpless.info.pages_max;
		helpless.memlock = 0;
		for (const Tree *tree : {&empty, &kernel, &loaded}) {
			for (const cli::Ability &one : cli::judge(tree->read(), helpless)) {
				CAPTURE(error, one.key, one.text);
				CHECK(one.can == one.commands.empty());
				CHECK_FALSE(one.text.empty());
			}
		}
	}
}

TEST_CASE("while the module is missing, perf events take its place if the kernel permits them",
	  "[cli][status]")
{
	const Tree tree;
	cli::Permissions permissions = capable();

	write_kernel(tree);
	const auto keys = [&] {
		std::vector<std::string> all;

		for (const cli::Ability &one : cli::judge(tree.read(), permissions))
			all.emplace_back(one.key);
		return all;
	};

	CHECK(keys() == std::vector<std::string>{"module", "perf", "own", "kernel", "others"});
	CHECK(judged(tree, permissions, "perf").can);
	CHECK(judged(tree, permissions, "kernel").text ==
	      "their time in the kernel can be shown by function");
	permissions.own_error = EACCES;
	CHECK(keys() == std::vector<std::string>{"module", "own"});
	write_module(tree);
	permissions = capable();
	permissions.module_error = EPERM;
	CHECK(keys() == std::vector<std::string>{"module", "device", "perf", "own", "kernel", "others"});
}

TEST_CASE("RLIMIT_MEMLOCK is not shown to users for whom it does not hold", "[cli][status]")
{
	if (geteuid())
		support::skip("only root can give up CAP_IPC_LOCK");

	const std::string status = support::build_dir() + "/profil status --no-cost";
	const std::string limited = "prlimit --memlock=81920 ";

	CHECK(has(support::run(limited + status).text, "no RLIMIT_MEMLOCK"));
	CHECK(has(support::run(limited + "setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock " + status)
			  .text,
		  "RLIMIT_MEMLOCK 80.0 KiB"));
}

TEST_CASE("an installed module is loaded by modprobe, after depmod if modprobe does not know it",
	  "[cli][status]")
{
	const Tree tree;

	write_kernel(tree);
	tree.write(std::string(directory) + "/updates/dkms/profil.ko.xz", "");
	CHECK(module_of(tree).commands == Commands{"sudo depmod", "sudo modprobe profil"});
	tree.write(std::string(directory) + "/modules.dep",
		   "kernel/a.ko:\nupdates/dkms/profil.ko.xz: a.ko\n");
	CHECK(module_of(tree).commands == Commands{"sudo modprobe profil"});
	CHECK(module_of(tree).text == "the module is not loaded");
	CHECK_FALSE(module_of(tree).can);
}

TEST_CASE("a module that is only built is loaded by insmod, and a missing one is built", "[cli][status]")
{
	const Tree tree;

	write_kernel(tree);
	CHECK(module_of(tree).commands == Commands{"make insmod"});
	CHECK(has(module_of(tree).text, "there is none for kernel 6.1.0-7"));
	tree.write("/build/kmod/6.1.0-7/kmod/profil.ko", "");
	CHECK(module_of(tree).commands ==
	      Commands{"sudo insmod " + tree.root() + "/build/kmod/6.1.0-7/kmod/profil.ko"});
}

TEST_CASE("a path that a shell would not take as one word is quoted", "[cli][status]")
{
	const Tree tree;
	const std::string build = tree.root() + "/it's here";

	write_kernel(tree);
	tree.write("/it's here/kmod/6.1.0-7/kmod/profil.ko", "");
	const cli::Machine machine = cli::read_machine(tree.root(), "6.1.0-7", build);
	const Commands commands = cli::judge_module(machine, capable()).commands;

	REQUIRE(commands.size() == 1);
	CHECK(support::run("printf %s " + commands[0].substr(commands[0].find('\''))).text ==
	      build + "/kmod/6.1.0-7/kmod/profil.ko");
}

TEST_CASE("with Secure Boot, an unsigned module is signed and its key enrolled", "[cli][status]")
{
	const Tree tree;
	const std::string file = std::string(directory) + "/updates/profil.ko";

	write_kernel(tree);
	tree.write(secure_boot, std::string("\6\0\0\0\1", 5));
	tree.write("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	tree.write(file, "code");
	tree.write(std::string(directory) + "/modules.dep", "updates/profil.ko:\n");
	cli::Ability refused = module_of(tree);

	CHECK(has(refused.text, "Secure Boot accepts only signed modules"));
	REQUIRE(refused.commands.size() == 4);
	CHECK(refused.commands[0].starts_with("openssl req -new -x509"));
	CHECK(refused.commands[1] ==
	      "sudo /lib/modules/6.1.0-7/build/scripts/sign-file sha256 MOK.key MOK.der " + tree.root() +
		      file);
	CHECK(refused.commands[2] == "sudo mokutil --import MOK.der");
	CHECK(refused.commands[3] == "sudo reboot");

	tree.write("/var/lib/dkms/mok.pub", "");
	refused = module_of(tree);
	REQUIRE(refused.commands.size() == 3);
	CHECK(refused.commands[1] == "sudo mokutil --import /var/lib/dkms/mok.pub");

	tree.write(file, signed_module);
	CHECK(module_of(tree).commands == Commands{"sudo modprobe profil"});
}

TEST_CASE("a module signed by DKMS loads if its key is enrolled, and is reported if not", "[cli][status]")
{
	const Tree tree;
	const std::string certificate = "a certificate in DER";
	const std::string list = "/sys/firmware/efi/efivars/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23";

	write_kernel(tree);
	tree.write(secure_boot, std::string("\6\0\0\0\1", 5));
	tree.write("/sys/module/module/parameters/sig_enforce", "Y\n");
	tree.write(std::string(directory) + "/updates/dkms/profil.ko.xz", "compressed");
	tree.write(std::string(directory) + "/modules.dep", "updates/dkms/profil.ko.xz:\n");

	/* Without the list of enrolled keys, the cause is not known. */
	CHECK(module_of(tree).commands == Commands{"sudo modprobe profil"});
	CHECK(has(module_of(tree).text, "if that says 'Key was rejected by service'"));
	tree.write("/var/lib/dkms/mok.pub", certificate);
	CHECK(module_of(tree).commands == Commands{"sudo modprobe profil"});
	CHECK(has(module_of(tree).text, "'sudo mokutil --import /var/lib/dkms/mok.pub'"));

	tree.write(list, std::string("\6\0\0\0", 4) + "the distribution's" + certificate + "and more");
	CHECK(module_of(tree).commands == Commands{"sudo modprobe profil"});
	CHECK(module_of(tree).text == "the module is not loaded");

	tree.write(list, std::string("\6\0\0\0", 4) + "the distribution's");
	CHECK(module_of(tree).commands ==
	      Commands{"sudo mokutil --import /var/lib/dkms/mok.pub", "sudo reboot"});
	CHECK(has(module_of(tree).text, "modprobe says 'Key was rejected by service'"));
}

TEST_CASE("without Secure Boot, a kernel that requires signatures is configured not to", "[cli][status]")
{
	const Tree tree;

	write_kernel(tree);
	tree.write("/build/kmod/6.1.0-7/kmod/profil.ko", "code");
	tree.write("/sys/module/module/parameters/sig_enforce", "Y\n");
	tree.write(secure_boot, std::string("\6\0\0\0\0", 5));
	CHECK(module_of(tree).commands ==
	      Commands{"sudoedit /etc/default/grub", "sudo update-grub", "sudo reboot"});
	tree.write("/sys/module/module/parameters/sig_enforce", "N\n");
	CHECK(has(module_of(tree).commands.at(0), "insmod"));
}

TEST_CASE("a kernel that cannot load modules is replaced, one that no longer loads them is rebooted",
	  "[cli][status]")
{
	const Tree tree;

	CHECK(module_of(tree).commands == Commands{"sudo apt install linux-image-amd64", "sudo reboot"});
	write_kernel(tree);
	tree.write("/proc/sys/kernel/modules_disabled", "1\n");
	CHECK(module_of(tree).commands == Commands{"sudo reboot"});
}

TEST_CASE("a module with another interface is replaced, one of another version is reported", "[cli][status]")
{
	const Tree tree;
	cli::Permissions permissions = capable();

	write_kernel(tree);
	write_module(tree);
	tree.write("/sys/module/profil/version", "9.8.7\n");
	CHECK(module_of(tree).can);
	CHECK(has(module_of(tree).text, "9.8.7, with the interface of this command, "));
	permissions.module_error = EPROTO;
	CHECK(judged(tree, permissions, "module").commands == Commands{"sudo rmmod profil", "make insmod"});
	CHECK(ability(cli::judge(tree.read(), permissions), "device").key.empty());
}

TEST_CASE("a device that is missing, not permitted or wrong has a command for each case", "[cli][status]")
{
	const Tree tree;
	cli::Permissions permissions = capable();

	write_kernel(tree);
	write_module(tree);
	permissions.module_error = EACCES;
	CHECK(judged(tree, permissions, "device").commands.at(0) ==
	      "echo 'KERNEL==\"profil\", MODE=\"0666\"' | sudo tee /etc/udev/rules.d/60-profil.rules");
	cli::Machine machine = tree.read();

	machine.device = cli::DeviceNode{S_IFCHR | 0660, "root", "profilers"};
	CHECK(ability(cli::judge(machine, permissions), "device").commands ==
	      Commands{"sudo usermod -aG profilers alice"});
	CHECK(has(ability(cli::judge(machine, permissions), "device").text,
		  "mode 0660, user root, group profilers"));
	permissions.module_error = EPERM;
	CHECK(has(judged(tree, permissions, "device").commands.at(0), "docker run --device /dev/profil"));
	permissions.module_error = ENXIO;
	CHECK(judged(tree, permissions, "device").commands ==
	      Commands{"sudo rm /dev/profil", "sudo mknod -m 666 /dev/profil c 10 123"});
	std::filesystem::remove(tree.root() + "/dev/profil");
	permissions.module_error = ENODEV;
	CHECK(judged(tree, permissions, "device").commands ==
	      Commands{"sudo mknod -m 666 /dev/profil c 10 123"});
}

TEST_CASE("permission to attach is what the kernel answers, with the sysctl that would change it",
	  "[cli][status]")
{
	const Tree tree;
	cli::Permissions permissions = capable();

	write_kernel(tree);
	write_module(tree);
	permissions.kernel_error = EACCES;
	permissions.others_error = EACCES;
	CHECK(judged(tree, permissions, "own").text == "processes of alice can be profiled");
	CHECK(judged(tree, permissions, "kernel").commands ==
	      Commands{"sudo sysctl kernel.perf_event_paranoid=1"});
	CHECK(judged(tree, permissions, "others").commands == Commands{"sudo /usr/bin/profil record -p PID"});
	CHECK(has(judged(tree, permissions, "others").text,
		  "kernel.perf_event_paranoid is 2, and alice has no"));

	tree.write("/proc/sys/kernel/perf_event_paranoid", "3\n");
	permissions.own_error = EACCES;
	CHECK(judged(tree, permissions, "own").text ==
	      "your processes cannot be profiled: kernel.perf_event_paranoid is 3");
	CHECK(judged(tree, permissions, "own").commands ==
	      Commands{"sudo sysctl kernel.perf_event_paranoid=2"});
	CHECK(judged(tree, permissions, "kernel").key.empty());

	permissions.own_error = EPERM;
	CHECK(judged(tree, permissions, "own").commands ==
	      Commands{"docker run --cap-add PERFMON ...",
		       "docker run --security-opt seccomp=unconfined ..."});
}

TEST_CASE("a sandbox that refuses perf events is told from a kernel that has none, or forbids them",
	  "[cli][status]")
{
	const Tree tree;
	const std::string path = "/proc/sys/kernel/perf_event_paranoid";
	cli::Permissions permissions = capable();
	const auto own = [&](int error) {
		permissions.own_error = error;

		const cli::Ability ability = judged(tree, permissions, "own");

		return ability.text + ": " + ability.commands.at(0);
	};

	write_kernel(tree);
	/* If perf_event_paranoid exists, so does the system call.  2 permits a user's own tasks. */
	for (const int error : {EPERM, EACCES, ENOSYS})
		CHECK(has(own(error), "sandbox does not let perf_event_open(2) through (the second"));
	tree.write(path, "3\n");
	CHECK(has(own(EPERM), "docker run --cap-add PERFMON"));
	CHECK(has(own(EACCES), "is 3: sudo sysctl kernel.perf_event_paranoid=2"));
	std::filesystem::remove(tree.root() + path);
	CHECK(has(own(ENOSYS), "CONFIG_PERF_EVENTS"));
}

TEST_CASE("other users' processes are not mentioned where there are none", "[cli][status]")
{
	const Tree tree;
	cli::Permissions permissions = capable();

	write_kernel(tree);
	write_module(tree);
	permissions.others_error = std::nullopt;
	CHECK(judged(tree, permissions, "others").key.empty());
}

TEST_CASE("a used-up limit of memory is raised by its parameter, RLIMIT_MEMLOCK by prlimit", "[cli][status]")
{
	const Tree tree;
	cli::Permissions permissions = capable();

	write_kernel(tree);
	write_module(tree);
	permissions.memlock = 4096;
	CHECK(judged(tree, permissions, "memory").commands ==
	      Commands{"sudo prlimit --memlock=67108864 --pid $$"});
	permissions.info.pages_used = permissions.info.pages_max;
	CHECK(judged(tree, permissions, "memory").commands ==
	      Commands{"echo 131072 | sudo tee /sys/module/profil/parameters/max_user_pages"});
}
