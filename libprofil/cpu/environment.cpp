// SPDX-License-Identifier: LGPL-2.1-or-later
/* PROFIL_CPU=FILE: profile a program from its start to its exit, without a change to it. */
#include "libprofil/cpu/cpu.h"
#include "libprofil/explain.h"
#include "libprofil/gmon/names.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/auxv.h>
#include <unistd.h>

namespace libprofil {
namespace {

/* "PID.RANDOM" of the program that writes FILE: programs that it executes get it, too. */
constexpr char writer_name[] = "PROFIL_CPU_WRITER";

char path[PATH_MAX]; /* absolute, as the program may change its directory; "": no profile */

/** The kernel gives each program that is executed other random bytes. */
uint64_t random_of_program()
{
	uint64_t random = 0;

	if (const auto *const bytes = reinterpret_cast<const char *>(getauxval(AT_RANDOM)))
		memcpy(&random, bytes, sizeof random);
	return random;
}

/**
 * Choose the file.  A program that the writer has executed in a child writes FILE.PID; one that it
 * has executed in its own place takes its place.
 * @return false if another copy of the library in this program writes it.
 */
bool choose(const char *file)
{
	const char *const writer = secure_getenv(writer_name);
	char own[48], directory[PATH_MAX] = "", process[24] = "";
	const int pid = snprintf(own, sizeof own, "%ld.", static_cast<long>(getpid()));

	snprintf(own + pid, sizeof own - static_cast<size_t>(pid), "%llx",
		 static_cast<unsigned long long>(random_of_program()));
	if (writer && !strcmp(writer, own))
		return false;
	if (writer && strncmp(writer, own, static_cast<size_t>(pid)) != 0)
		snprintf(process, sizeof process, ".%ld", static_cast<long>(getpid()));
	else
		setenv(writer_name, own, 1);
	if (*file != '/' && !getcwd(directory, sizeof directory - 1))
		directory[0] = '\0';

	const int length =
		snprintf(path, sizeof path, "%s%s%s%s", directory, *directory ? "/" : "", file, process);

	if (length >= 0 && static_cast<size_t>(length) < sizeof path)
		return true;
	say("PROFIL_CPU", nullptr, ENAMETOOLONG);
	return false;
}

[[gnu::constructor]] void start_from_environment()
{
	const int before = errno;
	const char *const file = secure_getenv("PROFIL_CPU");

	if (!file || !*file)
		return;
	if (choose(file)) {
		const profil_cpu_options options = {sizeof options, PROFIL_CPU_CHILDREN, wanted_rate(), 0, 0};

		if (const int error = start_cpu_profile(&options)) {
			char text[256];

			explain(error, "PROFIL_RECORD", text, sizeof text);
			say("PROFIL_CPU", text, 0);
			path[0] = '\0';
		}
	}
	errno = before;
}

[[gnu::destructor]] void write_at_exit()
{
	if (!*path)
		return;
	/* A child made by fork has no profile: it counts for its parent. */
	if (const int error = save_cpu_profile(path))
		say(path, nullptr, error);
}

} // namespace
} // namespace libprofil
