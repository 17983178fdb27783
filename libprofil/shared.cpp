// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/shared.h"

#include "libprofil/user_memory.h"

#include <bit>
#include <cstring>
#include <initializer_list>
#include <sys/auxv.h>
#include <sys/mman.h>

namespace libprofil {

namespace {

constexpr uint64_t magic = 0x0001'6c69'666f'7270; /* "profil", 1 */

constinit std::atomic<Shared *> known = nullptr;

/* Used only if the page cannot be mapped. */
constinit Shared own = {};

/*
 * Copies cannot find each other by a symbol, because a static program has no dynamic
 * symbol table.  So they meet at an address: the first copy maps the page there, and the
 * others find it.  The address is derived from the random bytes that the kernel gives
 * each program (AT_RANDOM), so that other processes cannot guess it.
 *
 * The first range is usually free: it is below Go's heap, above that of Java with 32-bit
 * pointers, and within a 39-bit address space.  AddressSanitizer reserves that range for
 * itself, hence the second one.
 */
struct Range {
	uint64_t start, bytes;
};

constexpr Range ranges[] = {
#if UINTPTR_MAX > UINT32_MAX
	{0x18'0000'0000, uint64_t{1} << 38},
	{0x2000'0000'0000, uint64_t{1} << 38},
#else
	{0x0100'0000, 0x0600'0000},
#endif
};

uint64_t random_of_process()
{
	const auto *const bytes = reinterpret_cast<const void *>(getauxval(AT_RANDOM));
	uint64_t word[2] = {};

	if (bytes)
		memcpy(word, bytes, sizeof word);
	/* The bytes are secret, and the address must not reveal them. */
	return ((word[0] ^ std::rotl(word[1], 32)) * 0x9e37'79b9'7f4a'7c15) >> 32;
}

/* True if no neighbouring page is mapped: then this page is not part of a larger mapping. */
bool is_alone(uintptr_t at)
{
	unsigned char unused;

	for (const uintptr_t next : {at - sizeof(Shared), at + sizeof(Shared)})
		if (!mincore(reinterpret_cast<void *>(next), 1, &unused))
			return false;
	return true;
}

/* True if another copy has mapped this page.  It is zero until that copy stores the magic number. */
bool is_ours(const Shared *page)
{
	uint64_t seen;

	if (copy_from_caller(&seen, page, sizeof seen))
		return false;
	return seen == magic || (!seen && is_alone(reinterpret_cast<uintptr_t>(page)));
}

Shared *meet(const Range &range)
{
	const uint64_t pages = range.bytes / sizeof(Shared);
	const uint64_t at = range.start + random_of_process() % pages * sizeof(Shared);
	auto *const page = reinterpret_cast<Shared *>(static_cast<uintptr_t>(at));
	void *const mapped = mmap(page, sizeof *page, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (mapped != page && !is_ours(page))
		return nullptr;
	page->magic.store(magic, std::memory_order_relaxed);
	return page;
}

} // namespace

Shared &shared()
{
	Shared *page = known.load(std::memory_order_acquire);

	if (page)
		return *page;
	for (const Range &range : ranges)
		if (!page)
			page = meet(range);
	page = page ? page : &own;
	known.store(page, std::memory_order_release);
	return *page;
}

bool is_shared()
{
	return &shared() != &own;
}

} // namespace libprofil
