// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/serve/pprof_server.h
 * A server for `go tool pprof URL` and other scrapers of Go programs.
 *
 * The paths, their parameters, headers and errors are those of Go's package
 * net/http/pprof (pkg.go.dev/net/http/pprof and its source pprof.go).  "/", which that
 * package leaves to the program, lists the paths.  One thing differs on purpose: if
 * "seconds" is 0, empty or not a number, Go records a profile of 30 seconds.  We refuse
 * such a value, as Go does for its other profiles: a user who mistypes a number should
 * get an error instead of a wait.
 */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"
#include "cli/http/limits.h"
#include "cli/http/listen_address.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cli {

/** A client's request for a profile. */
struct ServeRequest {
	unsigned seconds = 30;		 /**< 1 to 3600 */
	size_t running = 1;		 /**< profiles that are being recorded, with this one */
	std::function<bool()> cancelled; /**< true once the client no longer waits: end soon */
};

/** Makes a profile in pprof's format, gzipped; called by several threads at once. */
using ServeProfile = std::function<Result<std::string>(const ServeRequest &)>;

struct ServerSettings {
	ListenAddress listen;
	std::vector<std::string> hosts; /**< other host names under which clients may call it */
	std::string command_line;	/**< for /debug/pprof/cmdline; arguments are separated by NUL */
	size_t max_profiles = 4;	/**< the most profiles at the same time */
	HttpLimits limits;
};

/**
 * Answers until it is stopped.
 *
 * A browser that shows pages of other sites must not give them access to the server.  So a
 * request is refused if its Host is neither the address, nor localhost, nor one of the
 * settings' names (DNS rebinding), or if the browser marks the request as cross-site.
 */
class PprofServer {
public:
	/** Begin to listen. */
	static Result<PprofServer> listen(ServerSettings settings, ServeProfile profile);

	PprofServer(PprofServer &&other) noexcept;
	PprofServer &operator=(PprofServer &&) = delete;
	~PprofServer();

	/** The address, with the actual port. */
	[[nodiscard]] const ListenAddress &address() const;
	/** Answer requests; returns after stop(), when running requests have ended. */
	Outcome run();
	/** Cancel running requests and end run(), from another thread; also before run() has begun. */
	void stop();

private:
	class Implementation;

	explicit PprofServer(std::unique_ptr<Implementation> implementation);

	std::unique_ptr<Implementation> implementation_;
};

} // namespace cli
