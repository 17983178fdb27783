// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/message.h  HTTP requests and responses. */
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** A POST below a server's URL. */
struct HttpRequest {
	std::string path;		  /**< starts with a slash, may include a query */
	std::vector<std::string> headers; /**< "Name: value" */
	std::string body;
};

struct HttpResponse {
	long status = 0;
	std::string body;				 /**< perhaps cut off; may quote secrets */
	std::vector<std::string> headers;		 /**< "name: value", with names in lower case */
	std::optional<std::chrono::seconds> retry_after; /**< the Retry-After header */
};

/** The value of the header @p name, in the case used in @p headers; empty if it is missing. */
inline std::string header_of(const std::vector<std::string> &headers, const std::string &name)
{
	for (const std::string &line : headers) {
		if (line.starts_with(name + ":")) {
			const size_t begin = line.find_first_not_of(" \t", name.size() + 1);

			return begin == line.npos ? "" : line.substr(begin);
		}
	}
	return "";
}

} // namespace cli
