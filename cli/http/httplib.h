// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/http/httplib.h
 * cpp-httplib, as Debian's library of it is compiled: the layout of its classes
 * depends on these macros, which are those of `pkg-config --cflags cpp-httplib`.
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
