// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/machine.h"

#include "cli/base/files.h"
#include "cli/base/whole_number.h"
#include "cli/process/account_names.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view signature_end = "~Module signature appended~\n";
constexpr size_t small_file = 65536;
/* The GUID of EFI's global variables; a variable's first four bytes are its attributes. */
constexpr char secure_boot_file[] =
	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
constexpr size_t efi_attributes = 4;
/* The keys that the machine's owner has enrolled, as shim passes them to the kernel: mokutil(1). */
constexpr char enrolled_keys_file[] =
	"/sys/firmware/efi/efivars/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23";

/** The first line of a file in /proc or /sys; nullopt if the file cannot be read. */
std::optional<std::string> line_of(const std::string &path)
{
	const Result<std::string> text = read_file(path, small_file);

	if (!text)
		return std::nullopt;
	return text->substr(0, text->find('\n'));
}

template <typename Number> std::optional<Number> number_of(const std::string &path)
{
	return whole_number<Number>(line_of(path).value_or(""));
}

/** The numbers in a directory's files, by file name; files with other content are left out. */
std::map<std::string, uint64_t> numbers_in(const std::string &directory)
{
	std::map<std::string, uint64_t> numbers;
	std::error_code error;

	for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
	     entry.increment(error)) {
		if (const auto number = number_of<uint64_t>(entry->path()))
			numbers[entry->path().filename()] = *number;
	}
	return numbers;
}

/** The numbers in a file, by name; each line has a name and a number. */
std::map<std::string, uint64_t> named_numbers(const std::string &path)
{
	const Result<std::string> text = read_file(path, small_file);
	std::istringstream words(text ? *text : "");
	std::map<std::string, uint64_t> numbers;
	std::string name;
	uint64_t number = 0;

	while (words >> name >> number)
		numbers[name] = number;
	return numbers;
}

/** The word in brackets, as in "none [integrity] confidentiality". */
std::string chosen_word(const std::string &line)
{
	const size_t open = line.find('[');
	const size_t close = line.find(']', open);

	return open == line.npos || close == line.npos ? "" : line.substr(open + 1, close - open - 1);
}

std::optional<bool> read_secure_boot(const std::string &root)
{
	const Result<std::string> variable = read_file(root + secure_boot_file, small_file);

	if (!variable || variable->size() != efi_attributes + 1)
		return std::nullopt;
	return variable->back() == 1;
}

/* True if the list of enrolled keys contains the certificate; both are in DER form. */
std::optional<bool> is_enrolled(const std::string &root, const std::string &certificate_file)
{
	const Result<std::string> keys = read_file(root + enrolled_keys_file, small_file);
	const Result<std::string> certificate = read_file(root + certificate_file, small_file);

	if (!keys || !certificate || certificate->empty())
		return std::nullopt;
	return keys->find(*certificate) != keys->npos;
}

std::optional<bool> has_signature(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	std::string end(signature_end.size(), '\0');

	if (!path.ends_with(".ko") || !file)
		return std::nullopt;
	file.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
	file.read(end.data(), static_cast<std::streamsize>(end.size()));
	return file && end == signature_end;
}

bool is_module(const fs::path &path)
{
	const std::string name = path.filename();

	return name == "profil.ko" || name == "profil.ko.xz" || name == "profil.ko.zst" ||
	       name == "profil.ko.gz";
}

/** Find the module in depmod(8)'s list, which has lines like "updates/profil.ko: DEPENDENCIES". */
std::optional<std::string> listed_module(const std::string &directory)
{
	std::ifstream lines(directory + "/modules.dep");

	for (std::string line; std::getline(lines, line);) {
		const std::string path = line.substr(0, line.find(':'));

		if (is_module(path))
			return (fs::path(directory) / path).string();
	}
	return std::nullopt;
}

/** Find profil's module in the directories of out-of-tree modules. */
std::optional<std::string> unlisted_module(const std::string &directory)
{
	for (const char *place : {"/updates", "/extra"}) {
		std::error_code error;

		for (fs::recursive_directory_iterator entry(directory + place, error), end;
		     !error && entry != end; entry.increment(error)) {
			if (is_module(entry->path()))
				return entry->path().string();
		}
	}
	return std::nullopt;
}

std::optional<ModuleFile> find_installed(const std::string &root, const std::string &release)
{
	const std::string directory = root + "/lib/modules/" + release;

	if (const std::optional<std::string> path = listed_module(directory))
		return ModuleFile{*path, has_signature(*path), true};
	if (const std::optional<std::string> path = unlisted_module(directory))
		return ModuleFile{*path, has_signature(*path), false};
	return std::nullopt;
}

std::optional<ModuleFile> find_built(const std::string &build, const std::string &release)
{
	const std::string path = build + "/kmod/" + release + "/kmod/profil.ko";

	if (access(path.c_str(), R_OK))
		return std::nullopt;
	return ModuleFile{path, has_signature(path), false};
}

std::optional<DeviceNode> find_device(const std::string &path)
{
	struct stat about;

	if (stat(path.c_str(), &about))
		return std::nullopt;
	return DeviceNode{about.st_mode, user_name(about.st_uid), group_name(about.st_gid)};
}

/** Read the settings that decide which modules the kernel loads. */
void read_policy(Machine &machine, const std::string &root)
{
	const std::string enforced =
		line_of(root + "/sys/module/module/parameters/sig_enforce").value_or("N");
	const std::string key = "/var/lib/dkms/mok.pub";

	machine.takes_modules = !access((root + "/proc/modules").c_str(), F_OK);
	machine.modules_disabled =
		number_of<int>(root + "/proc/sys/kernel/modules_disabled").value_or(0) != 0;
	machine.secure_boot = read_secure_boot(root);
	machine.lockdown = chosen_word(line_of(root + "/sys/kernel/security/lockdown").value_or(""));
	machine.demands_signatures =
		enforced == "Y" || (!machine.lockdown.empty() && machine.lockdown != "none");
	if (!access((root + key).c_str(), F_OK)) {
		machine.signing_key = key;
		machine.signing_key_enrolled = is_enrolled(root, key);
	}
}

void read_module(Machine &machine, const std::string &root)
{
	const std::string about = root + "/sys/module/profil";
	const std::string totals = root + "/sys/class/misc/profil";

	machine.loaded = !access(about.c_str(), F_OK);
	machine.version = line_of(about + "/version").value_or("");
	machine.parameters = numbers_in(about + "/parameters");
	machine.totals = numbers_in(totals);
	machine.ticks = named_numbers(totals + "/ticks");
	machine.device_number = line_of(totals + "/dev").value_or("");
	machine.device = find_device(root + "/dev/profil");
}

} // namespace

Machine read_machine(const std::string &root, const std::string &release, const std::string &build)
{
	Machine machine;

	machine.release = release;
	read_policy(machine, root);
	read_module(machine, root);
	machine.installed = find_installed(root, release);
	machine.built = find_built(build, release);
	machine.paranoid = number_of<long>(root + "/proc/sys/kernel/perf_event_paranoid");
	machine.ptrace_scope = number_of<long>(root + "/proc/sys/kernel/yama/ptrace_scope");
	return machine;
}

std::string program_directory()
{
	std::error_code error;

	return fs::read_symlink("/proc/self/exe", error).parent_path();
}

} // namespace cli
