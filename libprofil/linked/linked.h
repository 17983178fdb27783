// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/linked/linked.h
 * libprofil-FLAVOUR.a: the names that a system's libc had, for sources that declare
 * them themselves.
 *
 * A source with `extern void profil();` includes no header that could choose its
 * flavour, so the linker does: libprofil-FLAVOUR.a comes before libprofil, and its
 * profil() calls profil_FLAVOUR().
 *
 *  - Each name has an object of its own, because the linker takes whole objects: a
 *    program that calls profil() may have a monitor() of its own.  If a program is linked
 *    with two flavours, the first archive that has a name defines it.
 *  - The names are hidden.  They belong to the executable or shared library that is
 *    linked with the archive; other libraries in the process, and dlsym(), still find
 *    libprofil's.
 *  - Parameters have the types of the system's manual page, and never wider ones,
 *    except the offset.  A call without a prototype passes an int in the lower half of
 *    a register, and the ABI leaves the upper half undefined.
 *  - Functions that the manual page declares void return 0, because old sources may
 *    declare them as int.
 */
#pragma once

/** Define a function as this symbol: the flavour's header makes its name a macro. */
#define PROFIL_LINKED(symbol) __asm__(symbol) __attribute__((visibility("hidden")))
