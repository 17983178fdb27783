// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/session.h  Owns a session of libprofil. */
#pragma once

#include "cli/base/result.h"
#include "cli/profile/event_account.h"
#include "profil.h"

#include <cstdint>
#include <memory>
#include <string>

namespace cli {

/** The message for an error of libprofil, with the next step. */
std::string explain(int error, const char *step = nullptr);

/** The module's limits and features for this process. */
Result<profil_info> module_info();

/** An open session; closing it ends its recordings. */
class Session {
public:
	static Result<Session> open();

	[[nodiscard]] profil_session *get() const { return session_.get(); }
	[[nodiscard]] int fd() const { return profil_session_fd(session_.get()); }
	/** The status of a profile; all zeroes if it does not exist. */
	[[nodiscard]] profil_status status(uint32_t profile) const;
	/** The account of the session's event; nullopt if it has none, or the event has ended. */
	[[nodiscard]] std::optional<EventAccount> event() const;

private:
	struct Closer {
		void operator()(profil_session *session) const { profil_session_close(session); }
	};

	explicit Session(profil_session *session) : session_(session) {}

	std::unique_ptr<profil_session, Closer> session_;
};

} // namespace cli
