// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/scratch.h  A temporary array, without malloc(3). */
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <type_traits>

namespace libprofil {

/** A zeroed array in its own mapping, so that signal handlers can use it as well. */
template <typename Element> class Scratch {
	static_assert(std::is_trivially_copyable_v<Element>);

public:
	explicit Scratch(size_t nr) : nr_(nr ? nr : 1)
	{
		void *const memory = nr_ > SIZE_MAX / sizeof(Element)
					     ? MAP_FAILED
					     : mmap(nullptr, nr_ * sizeof(Element), PROT_READ | PROT_WRITE,
						    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		elements_ = memory == MAP_FAILED ? nullptr : static_cast<Element *>(memory);
	}
	Scratch(const Scratch &) = delete;
	Scratch &operator=(const Scratch &) = delete;
	~Scratch()
	{
		if (elements_)
			munmap(elements_, nr_ * sizeof(Element));
	}

	/** False if there was no memory. */
	explicit operator bool() const { return elements_; }
	[[nodiscard]] Element *get() const { return elements_; }
	[[nodiscard]] size_t size() const { return nr_; }
	Element &operator[](size_t index) const { return elements_[index]; }

private:
	size_t nr_;
	Element *elements_;
};

} // namespace libprofil
