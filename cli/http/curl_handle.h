// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/curl_handle.h  Owning pointers for libcurl's objects. */
#pragma once

#include <curl/curl.h>
#include <memory>
#include <string>

namespace cli {

struct CurlFree {
	void operator()(CURL *handle) const { curl_easy_cleanup(handle); }
	void operator()(CURLU *url) const { curl_url_cleanup(url); }
	void operator()(curl_slist *list) const { curl_slist_free_all(list); }
	void operator()(char *text) const { curl_free(text); }
};

using CurlHandle = std::unique_ptr<CURL, CurlFree>;
using CurlUrl = std::unique_ptr<CURLU, CurlFree>;
using CurlText = std::unique_ptr<char, CurlFree>;

/** Header lines of a request. */
class CurlHeaders {
public:
	void add(const std::string &line)
	{
		/* Returns the list's head; or NULL, without a change, if memory is short. */
		if (curl_slist *list = curl_slist_append(list_.get(), line.c_str())) {
			[[maybe_unused]] curl_slist *same = list_.release();
			list_.reset(list);
		}
	}
	[[nodiscard]] curl_slist *get() const { return list_.get(); }

private:
	std::unique_ptr<curl_slist, CurlFree> list_;
};

} // namespace cli
