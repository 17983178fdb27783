// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/about.h"
#include "cli/gzip.h"
#include "cli/http_client.h"
#include "cli/pprof.h"
#include "cli/profile_file.h"
#include "cli/push_delivery.h"
#include "cli/push_encode.h"
#include "cli/push_labels.h"
#include "cli/push_options.h"
#include "cli/stream.h"
#include "cli/subcommands.h"
#include "cli/text.h"

#include <array>
#include <fmt/format.h>
#include <sys/random.h>

namespace cli {
namespace {

void say(const std::string &text)
{
	write_message(fmt::format("profil push: {}\n", printable(text)));
}

Result<std::string> new_uuid()
{
	std::array<char, 16> bytes = {};

	if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
		return system_error("cannot get random bytes");
	return uuid_from({bytes.data(), bytes.size()});
}

/** A file that is to be pushed. */
struct Loaded {
	PushProfile profile;
	std::string service;
};

Result<Loaded> load(const std::string &file)
{
	Result<std::string> content = read_profile_content(file);

	if (!content)
		return content.error();

	const Result<Profile> profile = decode_pprof(*content);

	if (!profile)
		return Error{profile_file_name(file) + ": " + profile.error().text};

	Result<std::string> id = new_uuid();

	if (!id)
		return id.error();
	if (!is_gzip(*content))
		*content = compress(*content);
	/* Our addresses are those of the objects' files; of other tools' profiles we do not know. */
	const bool ours = !from_comments(profile->comments).version.empty();

	return Loaded{
		{*std::move(content), profile->time_nanos, profile->duration_nanos, ours, *std::move(id)},
		service_of(*profile)};
}

Outcome push(const PushOptions &options)
{
	Result<HttpSettings> settings = http_settings(options);

	if (!settings)
		return settings.error();

	const Result<HttpClient> client = HttpClient::create(*std::move(settings));

	if (!client)
		return client.error();

	const Result<Loaded> loaded = load(options.file);

	if (!loaded)
		return loaded.error();

	const Result<PushLabels> labels = complete_push_labels(options.labels, loaded->service);

	if (!labels)
		return labels.error();

	const Result<HttpRequest> request = encode_push(options.format, *labels, loaded->profile);

	if (!request)
		return request.error();
	if (client->exposes_secrets())
		say(client->url() + ": the password or token goes there in clear text (use https)");

	const Delivery delivery = deliver(*client, options.format, *request);

	if (delivery.fate != Fate::Sent)
		return Error{delivery.reason};
	say(fmt::format("{} is at {} ({})", profile_file_name(options.file), client->url(),
			bytes_text(loaded->profile.content.size())));
	return Done();
}

} // namespace

int push_main(const std::vector<std::string> &arguments)
{
	PushOptions options;

	if (const std::optional<int> status = parse_push_options(arguments, options))
		return *status;
	if (const Outcome done = push(options); !done) {
		say(done.error().text);
		return exit_failure;
	}
	return exit_ok;
}

} // namespace cli
