// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file caller.h
 * Between what C sees and what is inside.
 *
 * Inside, a function gives an errno value and leaves errno to chance; to C that
 * becomes -1 and errno, and a call that succeeds leaves errno as it was.  The
 * library is compiled without exceptions, so nothing can be thrown across.
 */
#pragma once

#include "libprofil/flavour.h"

#include <cerrno>

#define PROFIL_EXPORT __attribute__((visibility("default")))

namespace libprofil {

/** The caller's errno, until we know what to answer. */
class Caller {
public:
	/** 0 or -1. */
	[[nodiscard]] int answer(int error) const
	{
		errno = error ? error : errno_;
		return error ? -1 : 0;
	}

	/** 0 or -1, of a call of the classical systems. */
	[[nodiscard]] int answer(int error, const char *call) const
	{
		if (error)
			tell(error, call);
		return answer(error);
	}

	/** Nothing, of a call that has only errno to tell with. */
	void leave(int error, const char *call) const { (void)answer(error, call); }

	/** Nothing at all, of a call that cannot fail. */
	void ignore(int error, const char *call) const
	{
		if (error)
			tell(error, call);
		(void)answer(0);
	}

	/** A value or -1. */
	[[nodiscard]] long answer(int error, long value) const { return answer(error) ? -1 : value; }

private:
	int errno_ = errno;
};

} // namespace libprofil
