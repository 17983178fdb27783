// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/forms.h  Every form of every flavour: a way to turn a profile on and off. */
#pragma once

#include "tests/guest/flavour/support.h"

#include <algorithm>
#include <climits>
#include <ostream>
#include <string>

extern "C" {
int profil_linux(void *, size_t, size_t, unsigned);
void profil_solaris(void *, size_t, size_t, unsigned);
int profil_irix(void *, unsigned, size_t, unsigned);
int profil_bsd(void *, size_t, unsigned long, unsigned);
void profil_tru64(void *, size_t, unsigned long, unsigned long);
void profil_aix(void *, size_t, unsigned long, unsigned);
int sprofil_linux(void *, int, timeval *, unsigned);
int sprofil_irix(void *, int, timeval *, unsigned);
}

namespace lib_test {

/** The behaviour of a 16-bit counter at its limit. */
enum class Limit { wraps, stays, stops_at_32767 };

/** A way to turn a profile on, with a counter for every two bytes of text from an offset on. */
struct Form {
	const char *name;
	void (*on)(void *buffer, size_t bytes, uintptr_t offset);
	void (*off)();
	Limit limit;
	unsigned width = 2;
};

inline std::ostream &operator<<(std::ostream &out, const Form &form)
{
	return out << form.name;
}

constexpr unsigned one_to_one = 0x10000;

struct IrixProf {
	void *base;
	unsigned size;
	size_t offset;
	unsigned scale;
};

struct LinuxProf {
	void *base;
	size_t size, offset;
	unsigned long scale;
};

struct Tru64Args {
	void *buffer;
	uintptr_t high, low, offset;
	unsigned scale;
};

struct AixProf {
	uintptr_t low, high;
	void *buffer;
	int size;
	unsigned scale;
};

inline void aix_list(void *buffer, size_t bytes, uintptr_t offset)
{
	AixProf list[2] = {
		{offset, offset + bytes, buffer, static_cast<int>(std::min<size_t>(bytes, INT_MAX)), 0xffff},
		{}};

	profil_aix(list, SIZE_MAX, 0, 0);
}

inline void tru64_args(void *buffer, size_t bytes, uintptr_t offset)
{
	/*
	 * 32-bit counters, each for four bytes of text; the buffer is as long as the range needs.
	 */
	Tru64Args args = {buffer, offset + bytes - 1, offset, offset, one_to_one};

	profil_tru64(&args, 1, ULONG_MAX, 0);
}

inline const Form forms[] = {
	{"Linux profil", [](void *b, size_t n, uintptr_t o) { profil_linux(b, n, o, one_to_one); },
	 [] { profil_linux(nullptr, 0, 0, 0); }, Limit::wraps},
	{"Linux sprofil",
	 [](void *b, size_t n, uintptr_t o) {
		 LinuxProf prof = {b, n, o, one_to_one};
		 sprofil_linux(&prof, 1, nullptr, 0);
	 },
	 [] { sprofil_linux(nullptr, 0, nullptr, 0); }, Limit::stays},
	{"Solaris profil", [](void *b, size_t n, uintptr_t o) { profil_solaris(b, n, o, one_to_one); },
	 [] { profil_solaris(nullptr, 0, 0, 0); }, Limit::stops_at_32767},
	{"IRIX profil",
	 [](void *b, size_t n, uintptr_t o) { profil_irix(b, static_cast<unsigned>(n), o, one_to_one); },
	 [] { profil_irix(nullptr, 0, 0, 0); }, Limit::wraps},
	{"IRIX sprofil",
	 [](void *b, size_t n, uintptr_t o) {
		 IrixProf prof = {b, static_cast<unsigned>(n), o, one_to_one};
		 sprofil_irix(&prof, 1, nullptr, 1);
	 },
	 [] { profil_irix(nullptr, 0, 0, 0); }, Limit::wraps},
	{"BSD profil", [](void *b, size_t n, uintptr_t o) { profil_bsd(b, n, o, one_to_one); },
	 [] { profil_bsd(nullptr, 0, 0, 0); }, Limit::wraps},
	{"Tru64 profil", [](void *b, size_t n, uintptr_t o) { profil_tru64(b, n, o, one_to_one); },
	 [] { profil_tru64(nullptr, 0, 0, 0); }, Limit::wraps},
	{"Tru64 extended", tru64_args, [] { profil_tru64(nullptr, 0, 0, 0); }, Limit::wraps, 4},
	{"AIX profil", [](void *b, size_t n, uintptr_t o) { profil_aix(b, n, o, 0xffff); },
	 [] { profil_aix(nullptr, 0, 0, 0); }, Limit::stays},
	{"AIX list", aix_list,
	 [] {
		 AixProf end = {};
		 profil_aix(&end, SIZE_MAX, 0, 0);
	 },
	 Limit::stays},
};

} // namespace lib_test
