// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/recorded_file.h"

#include "cli/base/files.h"
#include "cli/base/letter_case.h"
#include "cli/base/numbers.h"
#include "cli/objects/kernel_image.h"
#include "cli/objects/kernel_objects.h"
#include "cli/objects/module_file.h"
#include "cli/symbols/debug_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>

namespace cli {
namespace {

Outcome check_regular(const std::string &path, const Fd &file, std::string_view next_step, time_t &modified)
{
	struct stat about;

	if (!file || fstat(file.get(), &about))
		return Error{fmt::format("{} ({})", system_error(path).text, next_step)};
	if (!S_ISREG(about.st_mode))
		return Error{path + ": not a regular file"};
	modified = about.st_mtime;
	return Done{};
}

Outcome check_build_id(const std::string &path, const std::string &now, const std::string &recorded,
		       std::string_view next_step)
{
	if (recorded.empty() || now == lower_case(recorded))
		return Done{};
	return Error{fmt::format("{} is not the recorded file: its build-id is {}, but {} was recorded ({})",
				 path, now.empty() ? "missing" : short_build_id(now),
				 short_build_id(recorded), next_step)};
}

RecordedFile recorded_kernel(const ProfileMapping &mapping, Fd file)
{
	RecordedFile recorded = {std::make_unique<Object>(), 0, 0};

	recorded.object->name = mapping.filename;
	recorded.object->file = std::move(file);
	inspect_elf(*recorded.object);
	return recorded;
}

Result<RecordedFile> open_kernel(const ProfileMapping &mapping, const std::string &root)
{
	Result<Fd> file = open_kernel_text(mapping, root);

	if (!file)
		return file.error();
	return recorded_kernel(mapping, *std::move(file));
}

/** The vmlinux with the lines of the kernel, or the debug information of a module. */
Result<RecordedFile> open_kernel_lines(const ProfileMapping &mapping, const std::string &root)
{
	const bool module = mapping.filename != kernel_name;
	const std::string build_id = lower_case(mapping.build_id);
	const std::string path = module ? find_debug_file_of(build_id, root) : find_vmlinux(build_id, root);
	Fd file = path.empty() ? download_debug_file(mapping.filename, build_id)
			       : Fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));

	if (!file)
		return Error{fmt::format("{}: there is no {} with its build-id {} (install the "
					 "kernel's debug information, or set DEBUGINFOD_URLS)",
					 mapping.filename, module ? "debug information" : "vmlinux",
					 short_build_id(build_id))};
	if (!module)
		return recorded_kernel(mapping, std::move(file));

	Result<Fd> laid_out = lay_out_module(file, path.empty() ? mapping.filename : path);

	if (!laid_out)
		return laid_out.error();

	RecordedFile recorded = recorded_kernel(mapping, *std::move(laid_out));

	recorded.shift = module_shift;
	return recorded;
}

} // namespace

Result<RecordedFile> open_recorded(const ProfileMapping &mapping, const std::string &root,
				   std::string_view next_step)
{
	if (is_kernel_text(mapping.filename))
		return open_kernel(mapping, root);
	if (!mapping.filename.starts_with('/'))
		return Error{mapping.filename + ": not a regular file"};

	const std::string path = root + mapping.filename;
	RecordedFile recorded = {std::make_unique<Object>(), 0, 0};
	Object &object = *recorded.object;

	object.name = path;
	object.file = open_regular(path);
	if (const Outcome regular = check_regular(path, object.file, next_step, recorded.modified); !regular)
		return regular.error();
	inspect_elf(object);
	if (const Outcome same = check_build_id(path, hex(object.build_id), mapping.build_id, next_step);
	    !same)
		return same.error();
	return recorded;
}

Result<RecordedFile> open_lines(const ProfileMapping &mapping, const std::string &root,
				std::string_view next_step)
{
	return is_kernel_text(mapping.filename) ? open_kernel_lines(mapping, root)
						: open_recorded(mapping, root, next_step);
}

} // namespace cli
