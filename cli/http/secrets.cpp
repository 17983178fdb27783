// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/secrets.h"

#include "cli/http/message.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cli {
namespace {

constexpr size_t shortest_secret = 6;

/* Base 64, as in RFC 4648, section 4. */
std::string base64(const std::string &text)
{
	static constexpr std::string_view digits =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	std::string encoded;

	for (size_t i = 0; i < text.size(); i += 3) {
		const std::string three = text.substr(i, 3);
		uint32_t bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (k < three.size() ? static_cast<unsigned char>(three[k]) : 0);
		for (size_t k = 0; k < 4; k++)
			encoded += k > three.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
	}
	return encoded;
}

std::vector<std::string> secrets_of(const HttpSettings &settings)
{
	std::vector<std::string> secrets = {settings.token, settings.password};

	if (!settings.password.empty())
		secrets.push_back(base64(settings.user + ":" + settings.password));
	for (const std::string &header : settings.headers) {
		const std::string value = header_of({header}, header.substr(0, header.find(':')));

		/* Short values such as an org ID are not secrets; masking "7" would mangle every number. */
		if (value.size() >= shortest_secret)
			secrets.push_back(value);
	}
	std::erase_if(secrets, [](const std::string &secret) { return secret.empty(); });
	/* Longest first, so that a secret that contains another is masked completely. */
	std::sort(secrets.begin(), secrets.end(),
		  [](const std::string &a, const std::string &b) { return a.size() > b.size(); });
	return secrets;
}

std::string name_of(const std::string &header)
{
	std::string name = header.substr(0, header.find(':'));

	for (char &c : name)
		c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
	return name;
}

} // namespace

bool is_secret_header(const std::string &header)
{
	const std::string name = name_of(header);

	return name == "authorization" || name == "proxy-authorization" || name == "cookie" ||
	       (name.starts_with("x-") && (name.ends_with("-token") || name.ends_with("-key")));
}

std::string without_secrets(const HttpSettings &settings, std::string text)
{
	for (const std::string &secret : secrets_of(settings)) {
		for (size_t at = text.find(secret); at != text.npos; at = text.find(secret, at + 3))
			text.replace(at, secret.size(), "***");
	}
	return text;
}

} // namespace cli
