// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jit_files.h"

#include "cli/process.h"
#include "cli/text.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>

namespace cli {
namespace {

/* Within one look at a process's mappings. */
constexpr std::chrono::milliseconds look_interval{2};
constexpr size_t most_bytes = size_t{64} << 20;

/* Anybody can put a file into /tmp, and a FIFO would make us wait. */
Fd open_owned(const std::string &path, uid_t user)
{
	Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
	struct stat about;

	if (!file || fstat(file.get(), &about) || !S_ISREG(about.st_mode))
		return Fd();
	if (about.st_uid != user && about.st_uid != 0)
		return Fd();
	return file;
}

/* The descriptor's position is nobody's: it is read again and again. */
std::string content_of(const Fd &file)
{
	std::string content;

	for (size_t chunk = size_t{1} << 20; content.size() < most_bytes;) {
		const size_t before = content.size();

		content.resize(before + chunk);
		const ssize_t got =
			pread(file.get(), content.data() + before, chunk, static_cast<off_t>(before));

		content.resize(before + (got > 0 ? static_cast<size_t>(got) : 0));
		if (got <= 0)
			break;
	}
	return content;
}

} // namespace

bool is_jitdump(std::string_view name)
{
	const std::string_view base = base_name(name);

	if (!base.starts_with("jit-") || !base.ends_with(".dump"))
		return false;

	const std::string_view pid = base.substr(4, base.size() - 9);

	return !pid.empty() &&
	       std::all_of(pid.begin(), pid.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void JitFiles::look()
{
	const auto now = std::chrono::steady_clock::now();

	if (map_ || now < next_look_)
		return;
	next_look_ = now + look_interval;
	if (const std::optional<ProcessFacts> facts = process_facts(pid_))
		map_ = open_owned(fmt::format("/proc/{}/root/tmp/perf-{}.map", pid_, facts->own_pid),
				  facts->user);
}

void JitFiles::add_dump(const Fd &file)
{
	dumps_.emplace_back(fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
}

JitSymbols JitFiles::read() const
{
	JitSymbols symbols;

	if (map_)
		symbols.add_perf_map(content_of(map_));
	for (const Fd &dump : dumps_)
		symbols.add_jitdump(content_of(dump));
	return symbols;
}

} // namespace cli
