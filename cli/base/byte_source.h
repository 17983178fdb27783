// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/byte_source.h  Bytes of a file or of memory, read piece by piece. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/** Random-access bytes that need not all be in memory. */
class ByteSource {
public:
	ByteSource() = default;
	ByteSource(const ByteSource &) = delete;
	ByteSource &operator=(const ByteSource &) = delete;
	virtual ~ByteSource() = default;

	/** @p size bytes from @p offset, fewer only at the end; valid until the next call. */
	virtual std::string_view read(uint64_t offset, size_t size) = 0;
};

/** Bytes that are already in memory. */
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

/** A file.  Reading does not move its position, because other code reads the same descriptor. */
class FileSource : public ByteSource {
public:
	/** @param fd must stay open for as long as this is used. */
	explicit FileSource(int fd) : fd_(fd) {}

	std::string_view read(uint64_t offset, size_t size) override;

private:
	void fill(uint64_t offset, size_t size);

	int fd_;
	uint64_t start_ = 0; /* offset of the window in the file */
	std::string window_;
};

} // namespace cli
