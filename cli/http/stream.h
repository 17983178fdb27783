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

/** Owns the socket.  Beyond its limits it reads and writes nothing any more. */
class HttpStream : public httplib::Stream {
public:
	/** @param stopping ends the reading of a request when it becomes true; it outlives this. */
	HttpStream(Fd socket, HttpLimits limits, const std::atomic<bool> &stopping);

	[[nodiscard]] bool is_readable() const override;
	[[nodiscard]] bool is_writable() const override;
	ssize_t read(char *data, size_t size) override;
	ssize_t write(const char *data, size_t size) override;
	void get_remote_ip_and_port(std::string &ip, int &port) const override;
	void get_local_ip_and_port(std::string &ip, int &port) const override;
	[[nodiscard]] socket_t socket() const override { return socket_.get(); }

	/**
	 * Has the client closed its end?  One that only says that it has no more to
	 * send looks the same; Go's net/http takes it for gone as well.
	 */
	[[nodiscard]] bool is_abandoned() const;

	/**
	 * Say that nothing follows, and give the client a moment to read what was
	 * written: closing with something unread would reset the connection, and
	 * what it has not read yet would be lost.
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
	Clock::time_point write_deadline_; /**< from the first byte on */
	bool writing_ = false;
	size_t received_ = 0;
	std::array<char, 4096> buffer_;
	size_t begin_ = 0; /**< of what is in the buffer */
	size_t end_ = 0;
};

} // namespace cli
