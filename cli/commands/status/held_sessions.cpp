// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/held_sessions.h"

#include "cli/base/files.h"
#include "cli/base/whole_number.h"
#include "cli/events/name.h"
#include "cli/events/words.h"
#include "cli/process/process.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

/* A session may have very many profiles. */
constexpr size_t fdinfo_max = size_t{64} << 20;

/** The number, or 0 for any other text: a module of another version may print something else. */
template <typename Number> Number number_of(std::string_view text)
{
	return whole_number<Number>(text).value_or(0);
}

void add_pids(HeldProfile &profile, std::string_view words)
{
	while (!words.empty()) {
		const std::string_view word = words.substr(0, words.find(' '));

		if (word == "...")
			profile.more_pids = true;
		else if (const auto pid = number_of<pid_t>(word); pid > 0)
			profile.pids.push_back(pid);
		words.remove_prefix(std::min(word.size() + 1, words.size()));
	}
}

/** The name of an event.  @p value: its type, and its configuration in hexadecimal. */
std::string event_name(std::string_view value)
{
	const std::string_view type = value.substr(0, value.find(' '));
	const auto config = hexadecimal(value.substr(std::min(type.size() + 1, value.size())));
	const auto number = whole_number<uint32_t>(type);

	return number && config ? name_of_event(*number, *config) : fmt::format("event {}", value);
}

void set_field(HeldProfile &profile, std::string_view name, std::string_view value)
{
	if (name == "pids")
		add_pids(profile, value);
	else if (name == "processes")
		profile.processes = number_of<uint64_t>(value);
	else if (name == "state")
		profile.state = value;
	else if (name == "period")
		profile.period = number_of<uint64_t>(value);
	else if (name == "event")
		profile.account.name = profile.event = event_name(value);
	else if (name == "ticks")
		profile.ticks = number_of<uint64_t>(value);
	else if (name == "counted")
		profile.counted = number_of<uint64_t>(value);
	else if (name == "lost")
		profile.lost = number_of<uint64_t>(value);
	else if (name == "pinned_pages")
		profile.pinned_pages = number_of<uint64_t>(value);
	else
		set_event_field(profile.account, name, value);
}

std::string name_in(const std::string &path)
{
	const Result<std::string> name = read_file(path);

	return name && !name->empty() ? name->substr(0, name->find('\n')) : "?";
}

/** Finds the sessions among the open files of one process, which may end during the search. */
void search_process(const fs::path &process, pid_t pid, SessionSearch &search, std::set<uint64_t> &known)
{
	std::error_code error;
	struct stat about;

	for (fs::directory_iterator entry(process / "fd", error), end; !error && entry != end;
	     entry.increment(error)) {
		std::error_code gone;
		const fs::path file = fs::read_symlink(entry->path(), gone);

		if (gone || file.filename() != "profil")
			continue;

		const Result<std::string> text =
			read_file(process / "fdinfo" / entry->path().filename(), fdinfo_max);
		std::optional<HeldSession> session = text ? parse_fdinfo(*text) : std::nullopt;

		if (!session || !known.insert(session->id).second)
			continue;
		session->pid = pid;
		session->user = stat(process.c_str(), &about) ? 0 : about.st_uid;
		session->process = name_in(process / "comm");
		search.sessions.push_back(*std::move(session));
	}
	search.hidden += error == std::errc::permission_denied ? 1 : 0;
}

} // namespace

std::optional<HeldSession> parse_fdinfo(std::string_view text)
{
	std::optional<HeldSession> session;

	while (!text.empty()) {
		const std::string_view line = text.substr(0, text.find('\n'));
		const size_t colon = std::min(line.find(":\t"), line.size());
		const std::string_view name = line.substr(0, colon);
		const std::string_view value = line.substr(std::min(colon + 2, line.size()));

		if (name == "session")
			session.emplace().id = number_of<uint64_t>(value);
		else if (session && name == "profile")
			session->profiles.emplace_back().id = number_of<uint32_t>(value);
		else if (session && !session->profiles.empty())
			set_field(session->profiles.back(), name, value);
		text.remove_prefix(std::min(line.size() + 1, text.size()));
	}
	return session;
}

SessionSearch find_sessions(const std::string &root)
{
	SessionSearch search;
	std::set<uint64_t> known;

	/* Search in order of PID: if several processes have a session open, the first one probably
	 * opened it. */
	for (const pid_t pid : all_processes(root))
		search_process(fmt::format("{}/proc/{}", root, pid), pid, search, known);
	return search;
}

} // namespace cli
