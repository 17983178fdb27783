// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/http/httplib.h
 * Includes cpp-httplib with the macros that Debian's library is compiled with.
 *
 * The layout of its classes depends on them.  They are the output of
 * `pkg-config --cflags cpp-httplib`.
 */
#pragma once

#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_OPENSSL_SUPPORT
#endif
#ifndef CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_ZLIB_SUPPORT
#endif
#ifndef CPPHTTPLIB_BROTLI_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#endif

#include <httplib.h> // IWYU pragma: export
