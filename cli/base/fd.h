// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/fd.h  A file descriptor that closes itself. */
#pragma once

#include <unistd.h>
#include <utility>

namespace cli {

/** Owns a file descriptor and closes it. */
class Fd {
public:
	Fd() = default;
	explicit Fd(int number) : number_(number) {}
	Fd(Fd &&other) noexcept : number_(other.release()) {}
	~Fd() { close(); }

	Fd &operator=(Fd &&other) noexcept
	{
		if (this != &other) {
			close();
			number_ = other.release();
		}
		return *this;
	}

	/** The number, or -1. */
	[[nodiscard]] int get() const { return number_; }
	/** True if it owns a descriptor. */
	explicit operator bool() const { return number_ >= 0; }
	/** Give up ownership: the caller closes the descriptor. */
	[[nodiscard]] int release() { return std::exchange(number_, -1); }

	/** Close now, if it owns a descriptor. */
	void close()
	{
		if (number_ >= 0)
			::close(release());
	}

private:
	int number_ = -1;
};

} // namespace cli
