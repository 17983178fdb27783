// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/jit_files.h"

#include "cli/base/characters.h"
#include "cli/base/files.h"
#include "cli/process/root.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <sys/stat.h>

namespace cli {
namespace {

/* The least time between two looks: one pass over a process's mappings looks only once. */
constexpr std::chrono::milliseconds look_interval{2};
constexpr size_t chunk_size = size_t{256} << 10;
/* The most that is read of a map; an endless map must not keep us busy forever. */
constexpr uint64_t most_bytes = uint64_t{1} << 30;

/* Any user can create files in /tmp. */
Fd open_owned(const Fd &directory, const std::string &name, uid_t user)
{
	Fd file = open_regular(name, directory.get(), O_NOFOLLOW);
	struct stat about;

	if (!file || fstat(file.get(), &about) || !S_ISREG(about.st_mode))
		return Fd();
	if (about.st_uid != user && about.st_uid != 0)
		return Fd();
	return file;
}

/**
 * The /tmp of a process, or nullptr.  It stays open until the process has ended, so processes
 * with the same /tmp share one descriptor.
 */
std::shared_ptr<Fd> open_directory(pid_t pid)
{
	static std::map<std::pair<dev_t, ino_t>, std::weak_ptr<Fd>> known;
	Fd directory = find_in_root(pid, "/tmp", O_DIRECTORY);
	struct stat about;

	if (!directory || fstat(directory.get(), &about))
		return nullptr;
	std::erase_if(known, [](const auto &entry) { return entry.second.expired(); });

	std::weak_ptr<Fd> &place = known[{about.st_dev, about.st_ino}];
	std::shared_ptr<Fd> shared = place.lock();

	if (!shared)
		place = shared = std::make_shared<Fd>(std::move(directory));
	return shared;
}

/** Adds the complete lines of a chunk at a time, because single lines would be slow. */
void add_perf_map(const Fd &file, JitSymbols &symbols)
{
	FileSource source(file.get());

	for (uint64_t offset = 0; offset < most_bytes;) {
		const std::string_view chunk = source.read(offset, chunk_size);
		const size_t end = chunk.rfind('\n');

		symbols.add_perf_map(chunk.substr(0, end == chunk.npos ? 0 : end + 1));
		if (chunk.size() < chunk_size)
			break;
		/* A chunk without a newline is not a perf map; skip it. */
		offset += end == chunk.npos ? chunk.size() : end + 1;
	}
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

JitFiles::JitFiles(pid_t pid, std::shared_ptr<JitFiles> parent)
	: pid_(pid), parent_(std::move(parent)), start_(program_start(pid))
{
}

void JitFiles::look_at_running(const ProcessFacts &facts)
{
	if (std::shared_ptr<Fd> directory = open_directory(pid_)) {
		directory_ = std::move(directory);
		name_ = fmt::format("perf-{}.map", facts.own_pid);
		user_ = facts.user;
	}
	if (!map_ && directory_)
		map_ = open_owned(*directory_, name_, user_);
}

/* The map is complete only now.  It may be a different file from the one that is open. */
void JitFiles::look_at_ended()
{
	Fd last = directory_ ? open_owned(*directory_, name_, user_) : Fd();

	if (last)
		map_ = std::move(last);
}

void JitFiles::look()
{
	const auto now = std::chrono::steady_clock::now();

	if (parent_)
		parent_->look();
	if (over_ || now < next_look_)
		return;
	next_look_ = now + look_interval;

	const std::optional<ProgramStart> start = program_start(pid_);
	const std::optional<ProcessFacts> facts = process_facts(pid_);

	if (facts && start && start == start_)
		return look_at_running(*facts);
	/*
	 * Look again only at the end of the process, when it has no memory: after an exec, the map
	 * may be the new program's.
	 */
	if (!start && (!facts || !facts->has_memory))
		look_at_ended();
	over_ = start || !facts || facts->zombie;
	if (over_)
		directory_.reset();
}

void JitFiles::add_dump(const Fd &file)
{
	struct stat about;

	if (fstat(file.get(), &about))
		return;

	const auto [place, fresh] = dumps_.try_emplace({about.st_dev, about.st_ino});

	if (fresh)
		place->second = Fd(fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
}

JitSymbols JitFiles::read()
{
	next_look_ = {};
	look();

	/* Code that is added later replaces earlier code at its addresses. */
	JitSymbols symbols = parent_ ? parent_->read() : JitSymbols();

	if (map_)
		add_perf_map(map_, symbols);
	for (const auto &[id, dump] : dumps_) {
		FileSource source(dump.get());

		symbols.add_jitdump(source);
	}
	return symbols;
}

} // namespace cli
