// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/numbers.h"
#include "cli/base/stream.h"
#include "cli/commands/push/delivery.h"
#include "cli/commands/push/options.h"
#include "cli/commands/push/recording.h"
#include "cli/commands/push/series.h"
#include "cli/http/client.h"
#include "cli/options/subcommands.h"
#include "cli/profile/about.h"
#include "cli/profile/pprof.h"
#include "cli/profile/profile_file.h"
#include "cli/symbols/later_lines.h"

#include <fmt/format.h>

namespace cli {
namespace {

void say(const std::string &text)
{
	write_message(fmt::format("profil push: {}\n", printable(text)));
}

Outcome push(const PushOptions &options)
{
	Result<HttpSettings> settings = http_settings(options);

	if (!settings)
		return settings.error();

	const Result<HttpClient> client = HttpClient::create(*std::move(settings));

	if (!client)
		return client.error();

	Result<std::string> content = read_profile_content(options.file);

	if (!content)
		return content.error();

	Result<Profile> profile = decode_pprof(*content);

	if (!profile)
		return Error{profile_file_name(options.file) + ": " + profile.error().text};
	/* Add names and lines that were left in the objects: a server does not have their files. */
	if (!from_comments(profile->comments).lines_later.empty()) {
		tell("profil push", texts_of(add_lines(*profile)));
		content = encode_pprof(*profile);
	}

	const size_t size = content->size();
	const Result<std::vector<PushSeries>> series =
		push_series(options.labels, *profile, *std::move(content));

	if (!series)
		return series.error();

	const Result<std::vector<HttpRequest>> requests = encode_push(options.format, *series);

	if (!requests)
		return requests.error();
	if (client->exposes_secrets())
		say(client->url() + ": the password or token is sent in clear text (use https)");

	for (const HttpRequest &request : *requests) {
		const Delivery delivery = deliver(*client, options.format, request);

		if (delivery.fate != Fate::Sent)
			return Error{delivery.reason};
	}
	say(fmt::format("{} sent to {} ({})", profile_file_name(options.file), client->url(),
			bytes_text(size)));
	return Done();
}

} // namespace

int push_main(const std::vector<std::string> &arguments)
{
	PushOptions options;

	if (const std::optional<int> status = parse_push_options(arguments, options))
		return *status;
	if (const Outcome done = options.target ? push_recording(options) : push(options); !done) {
		say(done.error().text);
		return exit_failure;
	}
	return exit_ok;
}

} // namespace cli
