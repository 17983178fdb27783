// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/delivery.h"

#include "cli/base/characters.h"
#include "cli/http/grpc_web.h"
#include "cli/profile/otlp.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace cli {
namespace {

constexpr size_t most_excerpt = 200;

constexpr std::pair<long, std::string_view> phrases[] = {
	{301, "Moved Permanently"},
	{302, "Found"},
	{307, "Temporary Redirect"},
	{308, "Permanent Redirect"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{408, "Request Timeout"},
	{413, "Content Too Large"},
	{415, "Unsupported Media Type"},
	{422, "Unprocessable Content"},
	{429, "Too Many Requests"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
};

/* The beginning of the body, as one line of text. */
std::string excerpt(const std::string &body)
{
	std::string text;

	for (const char c : body.substr(0, 4 * most_excerpt)) {
		const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';

		if (!space)
			text += c;
		else if (!text.empty() && text.back() != ' ')
			text += ' ';
	}
	if (text.ends_with(' '))
		text.pop_back();
	return shortened(printable(text), most_excerpt);
}

std::string status_text(long status)
{
	for (const auto &[number, phrase] : phrases) {
		if (number == status)
			return fmt::format("{} {}", status, phrase);
	}
	return std::to_string(status);
}

/* Advice for the user about a status. */
std::string_view next_step(long status)
{
	if (status >= 300 && status < 400)
		return " (redirects are not followed: give the new URL with --to)";
	if (status == 401 || status == 403)
		return " (see --auth-token-file and --user)";
	if (status == 404 || status == 405 || status == 415)
		return " (is it that kind of server? See --format)";
	return "";
}

bool may_succeed_later(long status)
{
	return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

} // namespace

Delivery judge(const Result<HttpResponse> &response, const std::string &url)
{
	if (!response)
		return {Fate::Later, response.error().text, std::nullopt};

	const long status = response->status;

	if (status >= 200 && status < 300)
		return {};

	const std::string said = excerpt(response->body);

	return {may_succeed_later(status) ? Fate::Later : Fate::Refused,
		fmt::format("{}: {}{}{}{}", url, status_text(status), said.empty() ? "" : ": ", said,
			    next_step(status)),
		response->retry_after};
}

Delivery deliver(const HttpClient &client, PushFormat format, const HttpRequest &request,
		 const std::function<bool()> &cancelled)
{
	Result<HttpResponse> response = client.post(request, cancelled);

	if (response && format == PushFormat::Parca)
		response = grpc_web_answer(*std::move(response));
	if (response && format == PushFormat::Otlp && response->status / 100 == 2) {
		if (const std::string why = otlp_refusal(response->body); !why.empty())
			return {Fate::Refused,
				fmt::format("{}: {}", client.url(), client.without_secrets(excerpt(why))),
				std::nullopt};
	}
	/* Mask secrets only now: earlier, this would break frame lengths and miss encoded ones. */
	if (response)
		response->body = client.without_secrets(std::move(response->body));
	return judge(response, client.url());
}

} // namespace cli
