// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace cli {
namespace {

constexpr size_t window_size = size_t{256} << 10;

} // namespace

void FileSource::fill(uint64_t offset, size_t size)
{
	size_t filled = 0;

	window_.resize(std::max(size, window_size));
	start_ = offset;
	while (filled < window_.size()) {
		const ssize_t got = pread(fd_, window_.data() + filled, window_.size() - filled,
					  static_cast<off_t>(offset + filled));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		filled += static_cast<size_t>(got);
	}
	window_.resize(filled);
}

std::string_view FileSource::read(uint64_t offset, size_t size)
{
	const bool inside = offset >= start_ && offset - start_ <= window_.size() &&
			    size <= window_.size() - (offset - start_);

	if (!inside)
		fill(offset, size);
	return std::string_view(window_).substr(offset - start_, size);
}

} // namespace cli
