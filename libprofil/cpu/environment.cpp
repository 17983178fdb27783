// SPDX-License-Identifier: LGPL-2.1-or-later
/* PROFIL_CPU=FILE: profile a program from its start to its exit, without a change to it. */
#include "libprofil/cpu/cpu.h"
#include "libprofil/explain.h"
#include "libprofil/gmon/names.h"
#include "libprofil/mapping.h"
#include "libprofil/shared.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace libprofil {
namespace {

/* The PID of the program that writes FILE: programs that it executes inherit it. */
constexpr char writer_name[] = "PROFIL_CPU_WRITER";

/* Absolute, as the program may change its directory.  In a page that fork wipes: a child counts for
 * its parent, and writes nothing. */
char *path;

/**
 * Choose the file.  A program that the writer has executed in a child writes FILE.PID; one that
 * replaces the writer writes FILE.
 * @return 0, or an errno value.
 */
int choose(const char *file)
{
	const char *const writer = secure_getenv(writer_name);
	char own[24], directory[PATH_MAX] = "", suffix[32] = "";

	path = static_cast<char *>(map_wiped_by_fork(PATH_MAX));
	if (!path)
		return ENOMEM;
	snprintf(own, sizeof own, "%ld", static_cast<long>(getpid()));
	if (writer && strcmp(writer, own) != 0)
		snprintf(suffix, sizeof suffix, ".%s", own);
	else
		setenv(writer_name, own, 1);
	if (*file != '/' && !getcwd(directory, sizeof directory))
		return errno;

	const int length =
		snprintf(path, PATH_MAX, "%s%s%s%s", directory, *directory ? "/" : "", file, suffix);

	return length >= 0 && length < PATH_MAX ? 0 : ENAMETOOLONG;
}

[[gnu::constructor]] void start_from_environment()
{
	const int before = errno;
	const char *const file = secure_getenv("PROFIL_CPU");

	/* Of several copies of the library in a program, one writes. */
	if (!file || !*file || shared().cpu_file.exchange(true))
		return;
	char text[256] = "";
	int error = choose(file);

	if (error) {
		say("PROFIL_CPU", nullptr, error);
	} else {
		const profil_cpu_options options = {sizeof options, PROFIL_CPU_CHILDREN, wanted_rate(), 0, 0};

		error = start_cpu_profile(&options);
		if (error) {
			explain(error, "PROFIL_RECORD", text, sizeof text);
			say("PROFIL_CPU", text, 0);
		}
	}
	if (error)
		path = nullptr;
	errno = before;
}

[[gnu::destructor]] void write_at_exit()
{
	if (!path || !*path)
		return;
	if (const int error = save_cpu_profile(path))
		say(path, nullptr, error);
}

} // namespace
} // namespace libprofil
