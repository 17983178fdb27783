// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/session.h"

#include "cli/base/files.h"

#include <array>
#include <fmt/format.h>

namespace cli {

std::string explain(int error, const char *step)
{
	std::array<char, 512> text;

	return profil_explain(error, step, text.data(), text.size());
}

Result<profil_info> module_info()
{
	profil_info info = {};

	info.size = sizeof(info);
	if (profil_get_info(&info))
		return Error{explain(errno)};
	return info;
}

Result<Session> Session::open()
{
	profil_session *session = profil_session_open();

	if (!session)
		return Error{explain(errno)};
	return Session(session);
}

profil_status Session::status(uint32_t profile) const
{
	profil_status status = {};

	status.size = sizeof(status);
	if (profil_get_status(session_.get(), profile, &status))
		return {};
	return status;
}

std::optional<EventAccount> Session::event() const
{
	constexpr size_t most = 1 << 20;
	const Result<std::string> text = read_file(fmt::format("/proc/self/fdinfo/{}", fd()), most);

	return text ? event_account_of_fdinfo(*text) : std::nullopt;
}

} // namespace cli
