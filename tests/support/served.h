// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/served.h  A running profil serve, and its answers. */
#pragma once

#include "tests/support/recorded.h"

#include <csignal>
#include <optional>

namespace support {

/** A running profil serve, on a new socket. */
class Served {
public:
	explicit Served(const std::vector<std::string> &what)
	{
		std::vector<std::string> arguments = {profil_path(), "serve", "--listen", "unix:" + socket_};

		arguments.insert(arguments.end(), what.begin(), what.end());
		serve_.emplace(start(arguments, directory_ / "output"));
		REQUIRE(soon([&] { return has(output(), "answers /debug/pprof/profile"); }));
	}

	[[nodiscard]] std::string output() const { return read_file(directory_ / "output"); }

	/** Fetch a path into a file.  The text is the HTTP status. */
	Output get(const std::string &path, const std::string &file = "answer") const
	{
		return run("curl -sS --unix-socket " + socket_ + " -o " + (directory_ / file) +
			   " -w '%{http_code}' http://localhost/debug/pprof/" + path);
	}

	[[nodiscard]] const Child &process() const { return *serve_; }
	[[nodiscard]] std::string file(const std::string &name = "answer") const { return directory_ / name; }

	int end()
	{
		kill(serve_->pid(), SIGTERM);
		return end_of(*serve_);
	}

private:
	TemporaryDirectory directory_;
	std::string socket_ = directory_ / "socket";
	std::optional<Child> serve_;
};

} // namespace support
