// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/cpu/message.h  Encodes messages of protocol buffers. */
#pragma once

#include "libprofil/growing.h"

#include <cstdint>
#include <string_view>

namespace libprofil {

/**
 * A message, with the messages nested in it.
 *
 * Fields are written as they are given.  Once memory is lacking, nothing is added any more, and
 * complete() is false.
 */
class Message {
public:
	/** A field that is a number.  0 is left out: it is what readers assume. */
	void number(unsigned field, uint64_t value)
	{
		if (value)
			always(field, value);
	}
	/** A field that is a number, even if that is 0: an element of a list. */
	void always(unsigned field, uint64_t value)
	{
		varint(field << 3);
		varint(value);
	}
	void text(unsigned field, std::string_view text)
	{
		header(field, text.size());
		put(text.data(), text.size());
	}
	void message(unsigned field, const Message &inner)
	{
		header(field, inner.bytes_.size());
		put(inner.bytes_.begin(), inner.bytes_.size());
		lacking_ |= inner.lacking_;
	}
	/** Begin another message, with the same memory. */
	void begin() { bytes_.empty(); }

	/** False if memory was lacking. */
	[[nodiscard]] bool complete() const { return !lacking_; }
	[[nodiscard]] std::string_view bytes() const { return {bytes_.begin(), bytes_.size()}; }

private:
	void header(unsigned field, size_t bytes)
	{
		varint(field << 3 | 2);
		varint(bytes);
	}
	/* A profile has some ten of these for each place. */
	void varint(uint64_t value)
	{
		constexpr size_t most = 10;

		lacking_ = lacking_ || !bytes_.reserve(most);
		if (lacking_)
			return;

		char *const begin = bytes_.end();
		char *to = begin;

		for (; value > 0x7f; value >>= 7)
			*to++ = static_cast<char>(value | 0x80);
		*to++ = static_cast<char>(value);
		bytes_.extend(static_cast<size_t>(to - begin));
	}
	void put(const char *from, size_t nr)
	{
		lacking_ = lacking_ || !bytes_.reserve(nr);
		if (!lacking_ && nr)
			bytes_.append(from, nr);
	}

	Growing<char> bytes_;
	bool lacking_ = false;
};

} // namespace libprofil
