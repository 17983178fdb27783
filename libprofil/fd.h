// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/fd.h  An owning file descriptor. */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace libprofil {

/**
 * Owns a descriptor and closes it.
 *
 * It calls syscall(2), because close(3) is a cancellation point.  profil() must not be
 * one: a thread that was cancelled inside it would leak what it holds.
 */
class Fd {
public:
	Fd() = default;
	explicit Fd(int number) : number_(number) {}
	Fd(Fd &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
	~Fd() { close(); }

	Fd &operator=(Fd &&other) noexcept
	{
		if (this != &other) {
			close();
			number_ = std::exchange(other.number_, -1);
		}
		return *this;
	}

	/** The number, or -1. */
	[[nodiscard]] int get() const { return number_; }
	/** True if a descriptor is open. */
	explicit operator bool() const { return number_ >= 0; }

	/** Return the number, which the caller has to close. */
	[[nodiscard]] int release() { return std::exchange(number_, -1); }

	/** Close the descriptor, if one is open. */
	void close()
	{
		if (number_ >= 0)
			syscall(SYS_close, std::exchange(number_, -1));
	}

private:
	int number_ = -1;
};

} // namespace libprofil
