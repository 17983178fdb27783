// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/caller.h
 * The boundary between the C interface and the functions inside.
 *
 * A function inside returns an errno value and may change errno.  The C caller
 * gets -1 and errno instead, and a call that succeeds leaves errno unchanged.
 * The library is compiled without exceptions, so nothing can be thrown across.
 */
#pragma once

#include "libprofil/flavours/flavour.h"

#include <cerrno>

#define PROFIL_EXPORT __attribute__((visibility("default")))

namespace libprofil {

/** Saves the caller's errno, and turns an error into the call's result. */
class Caller {
public:
	/** Return 0 or -1. */
	[[nodiscard]] int answer(int error) const
	{
		errno = error ? error : errno_;
		return error ? -1 : 0;
	}

	/** Return 0 or -1 from a classical system's call, and report the error. */
	[[nodiscard]] int answer(int error, const char *call) const
	{
		if (error)
			tell(error, call);
		return answer(error);
	}

	/** Set errno for a call that returns nothing. */
	void leave(int error, const char *call) const { (void)answer(error, call); }

	/** Leave errno alone, for a call that never fails. */
	void ignore(int error, const char *call) const
	{
		if (error)
			tell(error, call);
		(void)answer(0);
	}

	/** Return a value or -1. */
	[[nodiscard]] long answer(int error, long value) const { return answer(error) ? -1 : value; }

private:
	int errno_ = errno;
};

} // namespace libprofil
