// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/content.h"

#include "cli/base/gzip.h"
#include "cli/commands/push/labels.h"
#include "cli/profile/about.h"

#include <array>
#include <sys/random.h>

namespace cli {
namespace {

Result<std::string> new_uuid()
{
	std::array<char, 16> bytes = {};

	if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
		return system_error("cannot get random bytes");
	return uuid_from({bytes.data(), bytes.size()});
}

} // namespace

Result<HttpRequest> push_request(const PushOptions &options, const std::string &service,
				 const Profile &profile, std::string content)
{
	const Result<PushLabels> labels = complete_push_labels(options.labels, service);

	if (!labels)
		return labels.error();

	Result<std::string> id = new_uuid();

	if (!id)
		return id.error();
	if (!is_gzip(content))
		content = compress(content);
	/* Our addresses are those of the objects' files; other tools' may not be. */
	const bool ours = !from_comments(profile.comments).version.empty();

	return encode_push(
		options.format, *labels,
		{std::move(content), profile.time_nanos, profile.duration_nanos, ours, *std::move(id)});
}

} // namespace cli
