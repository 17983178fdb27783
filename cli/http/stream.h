// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/stream.h  A connection to an HTTP server, with limits. */
#pragma once

#include "cli/base/fd.h"
#include "cli/http/httplib.h"
#include "cli/http/limits.h"

#include <array>
#include <atomic>
#include <chrono>
#include <string>

namespace cli {

/** Owns the socket.  Beyond its limits, reads and writes fail. */
class HttpStream : public httplib::Stream {
public:
	/** @param stopping ends the reading of a request when it becomes true; must outlive this. */
	HttpStream(Fd socket, HttpLimits limits, const std::atomic<bool> &stopping);

	[[nodiscard]] bool is_readable() const override;
	[[nodiscard]] bool is_writable() const override;
	ssize_t read(char *data, size_t size) override;
	ssize_t write(const char *data, size_t size) override;
	void get_remote_ip_and_port(std::string &ip, int &port) const override;
	void get_local_ip_and_port(std::string &ip, int &port) const override;
	[[nodiscard]] socket_t socket() const override { return socket_.get(); }

	/**
	 * Has the client closed its end?  A client that has only shut down its sending
	 * side looks the same; Go's net/http also treats it as gone.
	 */
	[[nodiscard]] bool is_abandoned() const;

	/**
	 * Shut down the sending side, and give the client a moment to read the rest:
	 * closing a socket with unread input resets the connection, and the client
	 * would lose what it has not read yet.
	 */
	void linger();

private:
	using Clock = std::chrono::steady_clock;

	[[nodiscard]] bool wait(short events, Clock::time_point deadline) const;
	[[nodiscard]] bool wait_for_request() const;

	Fd socket_;
	HttpLimits limits_;
	const std::atomic<bool> &stopping_;
	Clock::time_point read_deadline_;
	Clock::time_point write_deadline_; /**< set by the first write */
	bool writing_ = false;
	size_t received_ = 0;
	std::array<char, 4096> buffer_;
	size_t begin_ = 0; /**< of the unread bytes in buffer_ */
	size_t end_ = 0;
};

} // namespace cli
