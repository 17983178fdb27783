// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/commands/serve/pprof_server.h
 * A server for `go tool pprof URL`, and whatever else scrapes Go's programs.
 *
 * The paths, their parameters, headers and errors are those of Go's package
 * net/http/pprof (pkg.go.dev/net/http/pprof and its source pprof.go).  One thing
 * differs on purpose: where Go takes seconds=0, nothing, or what is no number for
 * its 30 seconds of a profile, we refuse them as Go refuses them elsewhere: who
 * mistypes a number should learn of it rather than wait.
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

/** What a client asks for. */
struct ServeRequest {
	unsigned seconds = 30;		 /**< 1 to 3600 */
	size_t running = 1;		 /**< requests for profiles now, with this one */
	std::function<bool()> cancelled; /**< nobody waits for it any more: end soon */
};

/** A profile in pprof's format, gzipped; called by several threads at once. */
using ServeProfile = std::function<Result<std::string>(const ServeRequest &)>;

struct ServerSettings {
	ListenAddress listen;
	std::vector<std::string> hosts; /**< names that it may be called by, too */
	std::string command_line; /**< for /debug/pprof/cmdline; arguments end with NUL, but for the last */
	size_t max_profiles = 4;  /**< at the same time */
	HttpLimits limits;
};

/**
 * Answers until it is stopped.
 *
 * It is not to be reached from a browser's pages: a request whose Host is neither
 * the address, nor localhost, nor one of the settings' is refused (DNS rebinding),
 * and so is one that a browser marks as another site's.
 */
class PprofServer {
public:
	/** Listens from now on. */
	static Result<PprofServer> listen(ServerSettings settings, ServeProfile profile);

	PprofServer(PprofServer &&other) noexcept;
	PprofServer &operator=(PprofServer &&) = delete;
	~PprofServer();

	/** With the port that it has. */
	[[nodiscard]] const ListenAddress &address() const;
	/** Answer requests; returns after stop(), and when those that were running have ended. */
	Outcome run();
	/** Cancel what runs and end run(), from another thread; also before it has begun. */
	void stop();

private:
	class Implementation;

	explicit PprofServer(std::unique_ptr<Implementation> implementation);

	std::unique_ptr<Implementation> implementation_;
};

} // namespace cli
