// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace cli {
namespace {

constexpr std::chrono::milliseconds longest_linger{1000};
constexpr std::chrono::milliseconds stop_interval{100};
constexpr size_t most_discarded = 1 << 20;

} // namespace

HttpStream::HttpStream(Fd socket, HttpLimits limits, const std::atomic<bool> &stopping)
	: socket_(std::move(socket)), limits_(limits), stopping_(stopping),
	  read_deadline_(Clock::now() + limits.request)
{
}

bool HttpStream::wait(short events, Clock::time_point deadline) const
{
	for (;;) {
		const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
		pollfd socket = {socket_.get(), events, 0};

		if (left.count() <= 0)
			return false;

		const int ready = poll(&socket, 1, static_cast<int>(left.count()));

		if (ready < 0 && errno == EINTR)
			continue;
		return ready > 0;
	}
}

/* Waits in short intervals, because stopping the server does not wake us. */
bool HttpStream::wait_for_request() const
{
	for (Clock::time_point now = Clock::now(); now < read_deadline_ && !stopping_; now = Clock::now()) {
		if (wait(POLLIN, std::min(read_deadline_, now + stop_interval)))
			return true;
	}
	return false;
}

bool HttpStream::is_readable() const
{
	return begin_ < end_ || wait_for_request();
}

bool HttpStream::is_writable() const
{
	return !is_abandoned() && wait(POLLOUT, writing_ ? write_deadline_ : Clock::now() + limits_.response);
}

ssize_t HttpStream::read(char *data, size_t size)
{
	if (begin_ == end_) {
		if (received_ >= limits_.request_bytes || !wait_for_request())
			return -1;

		const size_t room = std::min(buffer_.size(), limits_.request_bytes - received_);
		const ssize_t got = recv(socket_.get(), buffer_.data(), room, 0);

		if (got <= 0)
			return got;
		begin_ = 0;
		end_ = static_cast<size_t>(got);
		received_ += end_;
	}

	const size_t given = std::min(size, end_ - begin_);

	std::memcpy(data, buffer_.data() + begin_, given);
	begin_ += given;
	return static_cast<ssize_t>(given);
}

ssize_t HttpStream::write(const char *data, size_t size)
{
	if (!writing_)
		write_deadline_ = Clock::now() + limits_.response;
	writing_ = true;
	for (;;) {
		if (!wait(POLLOUT, write_deadline_))
			return -1;

		/* Do not block in send(), which does not know our deadline. */
		const ssize_t sent = send(socket_.get(), data, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent >= 0 || (errno != EINTR && errno != EAGAIN))
			return sent;
	}
}

void HttpStream::get_remote_ip_and_port(std::string &ip, int &port) const
{
	ip.clear();
	port = 0;
}

void HttpStream::get_local_ip_and_port(std::string &ip, int &port) const
{
	ip.clear();
	port = 0;
}

void HttpStream::linger()
{
	const Clock::time_point deadline = Clock::now() + longest_linger;
	size_t discarded = 0;

	if (shutdown(socket_.get(), SHUT_WR))
		return;
	while (discarded < most_discarded && wait(POLLIN, deadline)) {
		const ssize_t got = recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);

		if (got <= 0)
			return;
		discarded += static_cast<size_t>(got);
	}
}

bool HttpStream::is_abandoned() const
{
	pollfd socket = {socket_.get(), POLLRDHUP, 0};

	return poll(&socket, 1, 0) > 0;
}

} // namespace cli
