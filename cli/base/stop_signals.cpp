// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/stop_signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <sys/eventfd.h>
#include <termios.h>

namespace cli {
namespace {

constexpr std::array caught_signals = {SIGINT, SIGTERM, SIGHUP};
constexpr std::array ignored_signals = {SIGPIPE, SIGXFSZ};

/** A signal's previous action. */
struct Before {
	int number;
	struct sigaction action;
};

std::array<Before, caught_signals.size() + ignored_signals.size()> all_before;

/* The handler uses only these lock-free atomics, so it is async-signal-safe. */
std::atomic<int> first_signal;
std::atomic<bool> terminal_sent;
std::atomic<int> event_fd;
std::atomic<const char *> temporary;
std::atomic<const TerminalState *> terminal;
static_assert(std::atomic<const char *>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number, siginfo_t *about, void *)
{
	const int saved = errno;
	const uint64_t one = 1;
	int none = 0;

	if (!first_signal.compare_exchange_strong(none, number)) {
		if (const char *path = temporary.load())
			unlink(path);
		if (const TerminalState *state = terminal.load())
			state->restore();
		_exit(128 + number);
	}
	terminal_sent = about->si_code == SI_KERNEL;
	[[maybe_unused]] const ssize_t written = write(event_fd.load(), &one, sizeof(one));
	errno = saved;
}

void set_action(Before &before, int number, const struct sigaction &action)
{
	before.number = number;
	sigaction(number, &action, &before.action);
	if (number == SIGHUP && before.action.sa_handler == SIG_IGN)
		sigaction(number, &before.action, nullptr);
}

} // namespace

StopSignals::StopSignals() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
	struct sigaction stop = {};
	struct sigaction ignore = {};
	auto *before = all_before.begin();

	stop.sa_sigaction = on_signal;
	stop.sa_flags = SA_SIGINFO;
	ignore.sa_handler = SIG_IGN;
	first_signal = 0;
	event_fd = event_.get();
	for (const int number : caught_signals)
		set_action(*before++, number, stop);
	for (const int number : ignored_signals)
		set_action(*before++, number, ignore);
}

StopSignals::~StopSignals()
{
	restore();
}

void StopSignals::restore()
{
	for (const Before &before : all_before)
		sigaction(before.number, &before.action, nullptr);
}

int StopSignals::caught()
{
	return first_signal;
}

bool StopSignals::from_terminal()
{
	return terminal_sent;
}

TemporaryFile::TemporaryFile(std::string path) : path_(std::move(path))
{
	temporary = path_.c_str();
}

TemporaryFile::~TemporaryFile()
{
	if (!renamed_)
		unlink(path_.c_str());
	temporary = nullptr;
}

bool TemporaryFile::rename_to(const std::string &name)
{
	renamed_ = !std::rename(path_.c_str(), name.c_str());
	return renamed_;
}

TerminalState::TerminalState(int fd, std::string leaving)
	: fd_(fd), leaving_(std::move(leaving)), settings_(std::make_unique<termios>())
{
	tcgetattr(fd_, settings_.get());
	terminal = this;
}

TerminalState::~TerminalState()
{
	terminal = nullptr;
}

/* tcsetattr() and write() are async-signal-safe (POSIX). */
void TerminalState::restore() const
{
	[[maybe_unused]] const ssize_t written = ::write(fd_, leaving_.data(), leaving_.size());

	tcsetattr(fd_, TCSANOW, settings_.get());
}

} // namespace cli
