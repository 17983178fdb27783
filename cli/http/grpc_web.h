// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/http/grpc_web.h
 * gRPC calls over ordinary HTTP, without HTTP/2's trailers.
 *
 * See doc/PROTOCOL-WEB.md and doc/PROTOCOL-HTTP2.md of github.com/grpc/grpc.  A
 * message is a byte of flags, a 4-byte big-endian length, and the content; the
 * flag 0x80 marks the trailers of a response.
 */
#pragma once

#include "cli/http/message.h"

#include <string>
#include <string_view>

namespace cli {

inline constexpr char grpc_web_type[] = "application/grpc-web+proto";

/** Frame a message for sending. */
std::string grpc_web_frame(std::string_view message);

/**
 * Translate the response of a gRPC call to HTTP: the status as mapped by
 * google/rpc/code.proto, the message as the body.  A response that is not gRPC,
 * for example from a proxy, is unchanged; but a status of success becomes 502.
 */
HttpResponse grpc_web_answer(HttpResponse response);

} // namespace cli
