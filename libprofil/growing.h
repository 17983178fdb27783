// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/growing.h  An array that grows, without malloc(3). */
#pragma once

#include "libprofil/mapping.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace libprofil {

/** An array in a mapping of its own, so that signal handlers can use it as well. */
template <typename Element> class Growing {
	static_assert(std::is_trivially_copyable_v<Element>);

public:
	Growing() = default;
	Growing(const Growing &) = delete;
	Growing &operator=(const Growing &) = delete;
	~Growing() { clear(); }

	/** Make room for so many more elements, after which append() cannot fail.  False without memory. */
	[[nodiscard]] bool reserve(size_t more)
	{
		if (more <= room_ - nr_)
			return true;
		if (more > SIZE_MAX / sizeof(Element) / 4 - nr_)
			return false;

		const size_t least = first_bytes / sizeof(Element) + 1;
		const size_t doubled = room_ * 2 > least ? room_ * 2 : least;
		const size_t room = doubled > nr_ + more ? doubled : nr_ + more;
		void *const moved = elements_ ? mremap(elements_, room_ * sizeof(Element),
						       room * sizeof(Element), MREMAP_MAYMOVE)
					      : map_zeroes(room * sizeof(Element));

		if (!moved || moved == MAP_FAILED)
			return false;
		elements_ = static_cast<Element *>(moved);
		room_ = room;
		return true;
	}
	/** Append an element for which there is room. */
	void append(const Element &element) { elements_[nr_++] = element; }
	void append(const Element *all, size_t nr)
	{
		memcpy(static_cast<void *>(elements_ + nr_), all, nr * sizeof(Element));
		nr_ += nr;
	}
	/** Append so many elements, for which there is room, and which the caller has written at end(). */
	void extend(size_t nr) { nr_ += nr; }
	/** Append an element.  False without memory. */
	[[nodiscard]] bool add(const Element &element)
	{
		if (!reserve(1))
			return false;
		append(element);
		return true;
	}
	/** Remove all elements, but keep their memory. */
	void empty() { nr_ = 0; }
	/** Free the memory. */
	void clear()
	{
		if (elements_)
			munmap(elements_, room_ * sizeof(Element));
		elements_ = nullptr;
		nr_ = room_ = 0;
	}
	void swap(Growing &other) noexcept
	{
		std::swap(elements_, other.elements_);
		std::swap(nr_, other.nr_);
		std::swap(room_, other.room_);
	}

	[[nodiscard]] size_t size() const { return nr_; }
	[[nodiscard]] Element *begin() const { return elements_; }
	[[nodiscard]] Element *end() const { return elements_ + nr_; }
	Element &operator[](size_t index) const { return elements_[index]; }

private:
	static constexpr size_t first_bytes = 4000;

	Element *elements_ = nullptr;
	size_t nr_ = 0;
	size_t room_ = 0;
};

} // namespace libprofil
