// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/http/grpc_web.h
 * gRPC calls by ordinary HTTP, without HTTP/2's trailers.
 *
 * From doc/PROTOCOL-WEB.md and doc/PROTOCOL-HTTP2.md of github.com/grpc/grpc: a
 * message is a byte of flags, its length in four bytes, most significant first,
 * and its content; the flag 0x80 marks the answer's trailers.
 */
#pragma once

#include "cli/http/message.h"

#include <string>
#include <string_view>

namespace cli {

inline constexpr char grpc_web_type[] = "application/grpc-web+proto";

/** A message as it is sent. */
std::string grpc_web_frame(std::string_view message);

/**
 * The answer of a gRPC call as HTTP would have put it: its status by the mapping
 * that google/rpc/code.proto documents, its message as the body.  An answer that
 * is not gRPC's, from a proxy say, stays as it is, unless it claims success: then
 * its status becomes 502.
 */
HttpResponse grpc_web_answer(HttpResponse response);

} // namespace cli
