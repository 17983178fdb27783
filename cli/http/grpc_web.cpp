// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/grpc_web.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace cli {
namespace {

constexpr size_t prefix_bytes = 5;
constexpr unsigned char trailers_flag = 0x80;

/* Indexed by gRPC status code, 0 to 16. */
constexpr std::array<long, 17> http_status = {200, 499, 500, 400, 504, 404, 409, 403, 429,
					      400, 409, 400, 501, 500, 503, 500, 401};

uint32_t length_of(std::string_view frame)
{
	uint32_t length = 0;

	for (size_t i = 1; i < prefix_bytes; i++)
		length = length << 8 | static_cast<unsigned char>(frame[i]);
	return length;
}

/* The lines of all complete frames with trailers. */
std::vector<std::string> trailers_of(std::string_view body)
{
	std::vector<std::string> lines;

	while (body.size() >= prefix_bytes) {
		const uint32_t length = length_of(body);
		const bool trailers = static_cast<unsigned char>(body[0]) & trailers_flag;

		body.remove_prefix(prefix_bytes);
		if (length > body.size())
			break;
		std::string_view text = body.substr(0, length);

		for (size_t end; trailers && !text.empty(); text.remove_prefix(end)) {
			end = text.find('\n');
			end = end == text.npos ? text.size() : end + 1;
			std::string_view line = text.substr(0, end);

			while (line.ends_with('\n') || line.ends_with('\r'))
				line.remove_suffix(1);
			lines.emplace_back(line);
		}
		body.remove_prefix(length);
	}
	return lines;
}

std::optional<int> hexadecimal(std::string_view two)
{
	int value = 0;
	const auto [stop, error] = std::from_chars(two.data(), two.data() + two.size(), value, 16);

	return two.size() == 2 && error == std::errc() && stop == two.data() + 2 ? std::optional(value)
										 : std::nullopt;
}

/* Decode a message, which is percent-encoded; invalid sequences are kept. */
std::string percent_decoded(std::string_view text)
{
	std::string plain;

	for (size_t i = 0; i < text.size(); i++) {
		const std::optional<int> value =
			text[i] == '%' ? hexadecimal(text.substr(i + 1, 2)) : std::nullopt;

		plain += value ? static_cast<char>(*value) : text[i];
		i += value ? 2 : 0;
	}
	return plain;
}

} // namespace

std::string grpc_web_frame(std::string_view message)
{
	const auto length = static_cast<uint32_t>(message.size());
	std::string frame(1, '\0');

	for (const unsigned shift : {24U, 16U, 8U, 0U})
		frame += static_cast<char>(length >> shift & 0xff);
	return frame.append(message);
}

HttpResponse grpc_web_answer(HttpResponse response)
{
	std::vector<std::string> trailers = trailers_of(response.body);

	/* If the body has no message, the server sends the trailers as headers. */
	if (header_of(trailers, "grpc-status").empty())
		trailers = response.headers;

	const std::string status = header_of(trailers, "grpc-status");
	size_t code = 0;
	const auto [stop, error] = std::from_chars(status.data(), status.data() + status.size(), code);

	if (status.empty() || error != std::errc() || code >= http_status.size()) {
		if (response.status < 300)
			response = {502, "the response is not gRPC", {}, response.retry_after};
		return response;
	}
	response.status = http_status[code];
	response.body = percent_decoded(header_of(trailers, "grpc-message"));
	return response;
}

} // namespace cli
