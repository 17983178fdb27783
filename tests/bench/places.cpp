// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/places.h"

#include "tests/bench/bench.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::uint64_t first = 0x10000000000, distance = 1 << 20, page = 4096;

/** dec %rdi; jnz back to the dec; ret */
constexpr unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};

void *address_of(unsigned place)
{
	return reinterpret_cast<void *>(first + place * distance);
}

} // namespace

void map_places(unsigned number)
{
	char name[] = "/tmp/places.XXXXXX";
	unsigned char code[page]{};

	if (!number)
		return;
	std::memcpy(code, loop, sizeof loop);
	const int fd = mkstemp(name);
	if (fd < 0)
		die("mkstemp");
	for (unsigned i = 0; i < number; i++) {
		const auto offset = static_cast<off_t>(i * page);

		if (pwrite(fd, code, page, offset) != static_cast<ssize_t>(page))
			die("pwrite");
		if (mmap(address_of(i), page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd,
			 offset) == MAP_FAILED)
			die("mmap");
	}
	close(fd);
	unlink(name);
}

void burn_at(unsigned place, long n)
{
	reinterpret_cast<void (*)(long)>(address_of(place))(n);
}

} // namespace bench
