// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/cpu_support.h  Shared by the tests of <profil/cpu.h>. */
#pragma once

#include "tests/guest/record/support.h"
#include "tests/support/recorded.h"

#include <profil/cpu.h>
#include <string>

namespace cpu_test {

using namespace guest;
using support::Json;
using support::report;
using support::TemporaryDirectory;

constexpr uintptr_t text = Burner::usual;

inline profil_status cpu_status()
{
	profil_status status = {};

	status.size = sizeof(status);
	need(profil_cpu_get_status(&status), "profil_cpu_get_status");
	return status;
}

/** The ticks that a file has, those in the kernel included. */
inline uint64_t ticks_in_file()
{
	const profil_status status = cpu_status();

	return status.counted + status.kernel;
}

/** Run a loop until the profile has this many more ticks. */
inline void spend(uintptr_t loop, uint64_t ticks)
{
	const uint64_t enough = ticks_in_file() + ticks;

	need_that(soon([&] {
			  Burner::spin(loop, 1'000'000);
			  return ticks_in_file() >= enough;
		  }),
		  "ticks are counted");
}

/** A file with a loop, mapped as this process's text while it lives. */
class MappedLoop {
public:
	explicit MappedLoop(const std::string &name, uintptr_t at = text) : file_(name), at_(at)
	{
		file_.map(at);
	}
	MappedLoop(const MappedLoop &) = delete;
	MappedLoop &operator=(const MappedLoop &) = delete;
	~MappedLoop() { munmap(reinterpret_cast<void *>(at_), LoopFile::offset); }

	/** Its samples in a report by objects. */
	uint64_t samples(const Json &json) const
	{
		for (const Json &row : json["rows"])
			if (row["object"] == file_.path())
				return row["samples"];
		return 0;
	}

private:
	const LoopFile file_;
	const uintptr_t at_;
};

/** Ends the profile, whatever a test has done. */
class Profile {
public:
	explicit Profile(uint32_t flags = 0, uint32_t hz = 1000, uint32_t places = 0)
	{
		const profil_cpu_options options = {sizeof options, flags, hz, places, 0};

		need(profil_cpu_start(&options), "profil_cpu_start");
	}
	Profile(const Profile &) = delete;
	Profile &operator=(const Profile &) = delete;
	~Profile() { profil_cpu_stop(); }

	/** Write the profile.  Returns its report, by objects. */
	Json written() const
	{
		write(path_);
		return report(path_, "object");
	}
	static void write(const std::string &path)
	{
		const Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));

		need(profil_cpu_write(file.get()), "profil_cpu_write");
	}

private:
	const TemporaryDirectory directory_;
	const std::string path_ = directory_ / "self.pb";
};

} // namespace cpu_test
