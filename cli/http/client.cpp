// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/client.h"

#include "cli/http/curl_handle.h"
#include "cli/http/loopback.h"
#include "cli/http/secrets.h"
#include "profil.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace cli {
namespace {

/* The rest of a longer body is never needed: even gRPC's trailers follow only an empty message. */
constexpr size_t most_body = 64 << 10;
constexpr size_t most_headers = 100;

/** The state that the callbacks of a transfer fill in. */
struct Transfer {
	HttpResponse response;
	const std::function<bool()> *cancelled;
	bool too_long = false;
};

size_t take_body(char *data, size_t, size_t size, void *context)
{
	Transfer &transfer = *static_cast<Transfer *>(context);
	std::string &body = transfer.response.body;

	body.append(data, std::min(size, most_body - body.size()));
	transfer.too_long = body.size() == most_body;
	/* Returning anything but the size ends the transfer. */
	return transfer.too_long ? 0 : size;
}

size_t take_header(char *data, size_t, size_t size, void *context)
{
	std::vector<std::string> &headers = static_cast<Transfer *>(context)->response.headers;
	std::string line(data, size);
	const size_t colon = line.find(':');

	/* A new response begins: the earlier headers came from a proxy or an interim response. */
	if (line.starts_with("HTTP/"))
		headers.clear();
	if (colon == line.npos || headers.size() == most_headers)
		return size;
	std::transform(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), line.begin(),
		       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
	line.erase(line.find_last_not_of("\r\n") + 1);
	headers.push_back(std::move(line));
	return size;
}

int ask_cancelled(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
	const std::function<bool()> &cancelled = *static_cast<Transfer *>(context)->cancelled;

	return cancelled && cancelled();
}

void initialize_once()
{
	static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);

	static_cast<void>(done);
}

void set_policy(CURL *curl, const HttpSettings &settings)
{
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	curl_easy_setopt(curl, CURLOPT_NETRC, CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
			 static_cast<long>(settings.connect_timeout.count()));
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(settings.timeout.count()));
	curl_easy_setopt(curl, CURLOPT_USERAGENT, fmt::format("profil/{}", profil_version()).c_str());
	if (!settings.ca_file.empty())
		curl_easy_setopt(curl, CURLOPT_CAINFO, settings.ca_file.c_str());
	if (!settings.user.empty()) {
		curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		curl_easy_setopt(curl, CURLOPT_USERNAME, settings.user.c_str());
		curl_easy_setopt(curl, CURLOPT_PASSWORD, settings.password.c_str());
	}
	if (!settings.token.empty()) {
		curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
		curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, settings.token.c_str());
	}
}

void set_transfer(CURL *curl, Transfer &transfer)
{
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, ask_cancelled);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
}

/* libcurl does not copy the body, so the body must outlive the transfer. */
void set_request(CURL *curl, const std::string &url, const CurlHeaders &headers, const std::string &body)
{
	curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
}

/* Adds the parts of the response that libcurl itself has parsed. */
void complete(CURL *curl, HttpResponse &response)
{
	curl_off_t retry_after = 0;

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response.status);
	curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
	if (retry_after > 0)
		response.retry_after = std::chrono::seconds(retry_after);
}

/* A part of a URL; empty if the URL lacks that part. */
std::string url_part(CURLU *url, CURLUPart part, unsigned flags = 0)
{
	char *text = nullptr;

	if (curl_url_get(url, part, &text, flags) != CURLUE_OK)
		return "";
	return CurlText(text).get();
}

/* A password comes before '@', a token after '?' or '#'. */
bool may_have_secrets(const std::string &text)
{
	return text.find_first_of("@?#") != text.npos;
}

} // namespace

Result<HttpClient> HttpClient::create(HttpSettings settings)
{
	initialize_once();

	HttpClient client(std::move(settings));
	const Outcome done = client.take_apart_url();

	if (!done)
		return done.error();
	if (!client.settings_.token.empty() && !client.settings_.user.empty())
		return Error{client.url() + ": give either a token or a user and a password, not both"};
	return client;
}

Outcome HttpClient::take_apart_url()
{
	const CurlUrl url(curl_url());

	/* Do not quote the URL in messages until its secrets are removed. */
	if (!url || curl_url_set(url.get(), CURLUPART_URL, settings_.url.c_str(), 0) != CURLUE_OK)
		return Error{fmt::format("{} not a URL (give one like http://localhost:4040)",
					 may_have_secrets(settings_.url) ? "the address of the server is"
									 : "'" + settings_.url + "' is")};

	const std::string user = url_part(url.get(), CURLUPART_USER, CURLU_URLDECODE);
	const std::string password = url_part(url.get(), CURLUPART_PASSWORD, CURLU_URLDECODE);
	const std::string scheme = url_part(url.get(), CURLUPART_SCHEME);

	curl_url_set(url.get(), CURLUPART_USER, nullptr, 0);
	curl_url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
	/* In some protocols, options follow the password. */
	curl_url_set(url.get(), CURLUPART_OPTIONS, nullptr, 0);
	settings_.url = url_part(url.get(), CURLUPART_URL);
	host_ = url_part(url.get(), CURLUPART_HOST);
	/* Check these before a message quotes the URL: they may contain secrets. */
	if (!url_part(url.get(), CURLUPART_QUERY).empty() || !url_part(url.get(), CURLUPART_FRAGMENT).empty())
		return Error{"the URL has a query or a fragment (give only the address of the server)"};
	if (scheme != "http" && scheme != "https")
		return Error{settings_.url + ": the URL is neither http nor https"};
	if (settings_.user.empty() && !user.empty()) {
		settings_.user = user;
		settings_.password = password;
	}
	while (settings_.url.ends_with('/'))
		settings_.url.pop_back();
	return Done();
}

bool HttpClient::exposes_secrets() const
{
	return settings_.url.starts_with("http:") && !is_loopback(host_) &&
	       (!settings_.token.empty() || !settings_.password.empty() ||
		std::any_of(settings_.headers.begin(), settings_.headers.end(), is_secret_header));
}

std::string HttpClient::without_secrets(std::string text) const
{
	return cli::without_secrets(settings_, std::move(text));
}

Result<HttpResponse> HttpClient::post(const HttpRequest &request,
				      const std::function<bool()> &cancelled) const
{
	const CurlHandle curl(curl_easy_init());
	CurlHeaders headers;
	Transfer transfer = {{}, &cancelled};
	std::array<char, CURL_ERROR_SIZE> reason = {};

	if (!curl)
		return Error{url() + ": libcurl is out of memory"};
	/* Send the body without waiting for "100 Continue". */
	headers.add("Expect:");
	for (const std::vector<std::string> *lines : {&request.headers, &settings_.headers}) {
		for (const std::string &line : *lines)
			headers.add(line);
	}
	set_policy(curl.get(), settings_);
	/* Never use a proxy for this machine. */
	if (is_loopback(host_))
		curl_easy_setopt(curl.get(), CURLOPT_NOPROXY, "*");
	set_transfer(curl.get(), transfer);
	set_request(curl.get(), url() + request.path, headers, request.body);
	curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, reason.data());

	const CURLcode code = curl_easy_perform(curl.get());

	if (code == CURLE_ABORTED_BY_CALLBACK)
		return Error{url() + ": cancelled before it answered"};
	if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && transfer.too_long))
		return Error{
			fmt::format("{}: {}", url(),
				    without_secrets(reason[0] ? reason.data() : curl_easy_strerror(code)))};
	complete(curl.get(), transfer.response);
	return std::move(transfer.response);
}

} // namespace cli
