// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/session.h  libprofil's session, with an owner. */
#pragma once

#include "cli/base/result.h"
#include "profil.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cli {

/** An error of libprofil in words, with the next step. */
std::string explain(int error, const char *step = nullptr);

/** What the module can do for us. */
Result<profil_info> module_info();

/** An open session; what is attached ends with it. */
class Session {
public:
	static Result<Session> open();

	[[nodiscard]] profil_session *get() const { return session_.get(); }
	[[nodiscard]] int fd() const { return profil_session_fd(session_.get()); }
	/** What happened to followed processes since the last call. */
	[[nodiscard]] std::vector<profil_event> events() const;
	/** All zeroes if the profile does not exist. */
	[[nodiscard]] profil_status status(uint32_t profile) const;

private:
	struct Closer {
		void operator()(profil_session *session) const { profil_session_close(session); }
	};

	explicit Session(profil_session *session) : session_(session) {}

	std::unique_ptr<profil_session, Closer> session_;
};

} // namespace cli
