// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/fd.h  A descriptor with an owner. */
#pragma once

#include <unistd.h>
#include <utility>

namespace cli {

/** Closes its descriptor when it ends. */
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
	/** True if there is one. */
	explicit operator bool() const { return number_ >= 0; }
	/** Hand it over: the caller closes it. */
	[[nodiscard]] int release() { return std::exchange(number_, -1); }

	/** Close now; nothing without one. */
	void close()
	{
		if (number_ >= 0)
			::close(release());
	}

private:
	int number_ = -1;
};

} // namespace cli
