// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/serve/support.h  A running server of profiles, for tests that are its
 * clients. */
#pragma once

#include "cli/commands/serve/pprof_server.h"
#include "cli/profile/pprof.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace serve_test {

using support::has;

/** A server in a thread, on a port that the kernel chooses. */
class Running {
public:
	explicit Running(cli::ServeProfile profile, cli::ServerSettings settings = {})
		: server_(start(std::move(settings), std::move(profile))), thread_([this] {
			  const cli::Outcome done = server_.run();

			  failed_ = !done;
		  })
	{
	}
	Running(const Running &) = delete;
	Running &operator=(const Running &) = delete;
	~Running() { stop(); }

	/** Stops the server; false if it has failed. */
	bool stop()
	{
		server_.stop();
		if (thread_.joinable())
			thread_.join();
		return !failed_;
	}
	[[nodiscard]] int port() const { return server_.address().port; }
	[[nodiscard]] std::string url(const std::string &path) const
	{
		return "http://" + server_.address().text() + path;
	}
	/** The output of curl for a path; the options come before the URL. */
	[[nodiscard]] support::Output curl(const std::string &path, const std::string &options = "") const
	{
		return support::run("curl --noproxy '*' -sS -m 30 " + options + " '" + url(path) + "'");
	}
	/** The HTTP status alone. */
	[[nodiscard]] std::string status(const std::string &path, const std::string &options = "") const
	{
		return curl(path, "-o /dev/null -w '%{http_code}' " + options).text;
	}

private:
	static cli::PprofServer start(cli::ServerSettings settings, cli::ServeProfile profile)
	{
		if (settings.listen.unix_path.empty())
			settings.listen.port = 0;

		cli::Result<cli::PprofServer> server =
			cli::PprofServer::listen(std::move(settings), std::move(profile));

		REQUIRE(server);
		return *std::move(server);
	}

	cli::PprofServer server_;
	std::atomic<bool> failed_ = false;
	std::thread thread_;
};

inline cli::Result<std::string> sample(const cli::ServeRequest &)
{
	return cli::encode_pprof(sample_profile());
}

template <typename Condition> bool eventually(const Condition &condition)
{
	for (int i = 0; i < 3000 && !condition(); i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(10));
	return condition();
}

} // namespace serve_test
