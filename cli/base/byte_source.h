// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/byte_source.h  Bytes of a file, or of memory, a part at a time. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/** Something that is read from any place, and is not held in memory whole. */
class ByteSource {
public:
	ByteSource() = default;
	ByteSource(const ByteSource &) = delete;
	ByteSource &operator=(const ByteSource &) = delete;
	virtual ~ByteSource() = default;

	/** Up to @p size bytes from @p offset on, fewer at the end only; valid until the next call. */
	virtual std::string_view read(uint64_t offset, size_t size) = 0;
};

/** What is in memory already. */
class MemorySource : public ByteSource {
public:
	explicit MemorySource(std::string_view content) : content_(content) {}

	std::string_view read(uint64_t offset, size_t size) override
	{
		return offset < content_.size() ? content_.substr(offset, size) : std::string_view();
	}

private:
	std::string_view content_;
};

/** A file, whose position is not touched: others read it, too. */
class FileSource : public ByteSource {
public:
	/** @param fd stays open for as long as this is used. */
	explicit FileSource(int fd) : fd_(fd) {}

	std::string_view read(uint64_t offset, size_t size) override;

private:
	void fill(uint64_t offset, size_t size);

	int fd_;
	uint64_t start_ = 0; /* of what is in the window */
	std::string window_;
};

} // namespace cli
