// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/coverage.h"

#include <algorithm>
#include <set>

namespace cli {
namespace {

/* A JIT's reserved memory is mostly never executed; it must not make programs' counters coarser. */
constexpr uint64_t anonymous_share = 4;

Piece piece_of(pid_t pid, const Mapping &mapping, ObjectTable &objects)
{
	Piece piece;

	piece.low = mapping.start;
	piece.high = mapping.end;
	piece.object = objects.find(pid, mapping);
	if (mapping.source == Source::File)
		piece.link = piece.object->link_address(mapping.offset);
	else if (mapping.source == Source::Vdso)
		piece.link = piece.object->link_address(0);
	else
		piece.link = mapping.start;
	return piece;
}

bool same_place(const Piece &a, const Piece &b)
{
	return a.object == b.object && a.low - a.link == b.low - b.link;
}

Piece part(const Piece &piece, uint64_t low, uint64_t high)
{
	Piece cut = piece;

	cut.low = low;
	cut.high = high;
	cut.link = piece.link + (low - piece.low);
	return cut;
}

/** Append @p fresh as the old pieces that are still in place, and new pieces between them. */
void carry_over(const Piece &fresh, std::span<const Piece> old, std::vector<Piece> &pieces)
{
	uint64_t low = fresh.low;

	/* Both are sorted; a process may have tens of thousands of pieces. */
	auto next = std::lower_bound(old.begin(), old.end(), low,
				     [](const Piece &piece, uint64_t value) { return piece.high <= value; });

	for (; next != old.end() && next->low < fresh.high; ++next) {
		const Piece &piece = *next;

		if (!same_place(piece, fresh))
			continue;

		const uint64_t start = std::max(piece.low, low);
		const uint64_t end = std::min(piece.high, fresh.high);

		if (start > low)
			pieces.push_back(part(fresh, low, start));
		pieces.push_back(part(piece, start, end));
		low = end;
	}
	if (low < fresh.high)
		pieces.push_back(part(fresh, low, fresh.high));
}

/** Gives pieces their counters: existing ones from the pool, or new ones. */
class Planner {
public:
	Planner(CounterPool &pool, Room room) : pool_(pool), room_(room) {}

	void plan(std::vector<Piece> &pieces)
	{
		for (Piece &piece : pieces) {
			if (piece.counters || piece.object->source == Source::Special)
				continue;
			share(piece);
			if (!piece.counters)
				missing_.push_back(&piece);
		}
		allocate(false, room_.bytes - room_.bytes / anonymous_share);
		allocate(true, room_.bytes / anonymous_share);
	}

private:
	/* Shared counters are pinned again for this target, so they count against its room. */
	void share(Piece &piece)
	{
		std::shared_ptr<CounterArray> found = pool_.find(
			*piece.object, piece.link, piece.high - piece.low, room_.floor, room_.owner);

		if (!found || found->bytes() > room_.bytes)
			return;
		room_.bytes -= found->bytes();
		piece.counters = std::move(found);
	}

	/*
	 * Use the finest granularity that all pieces can have.  The remaining
	 * memory gives small pieces, such as most programs among their libraries,
	 * a finer one.
	 */
	void allocate(bool anonymous, uint64_t budget)
	{
		std::vector<Piece *> pieces;
		uint64_t text = 0;

		for (Piece *piece : missing_) {
			if ((piece->object->source == Source::Anonymous) == anonymous) {
				pieces.push_back(piece);
				text += piece->high - piece->low;
			}
		}
		if (pieces.empty() || !budget)
			return;
		std::sort(pieces.begin(), pieces.end(),
			  [](const Piece *a, const Piece *b) { return a->high - a->low < b->high - b->low; });

		const unsigned shift = std::max(choose_shift(text, budget), room_.floor);
		uint64_t left = budget - std::min(budget, counter_memory(text, shift));

		for (Piece *piece : pieces) {
			const uint64_t size = piece->high - piece->low;
			const uint64_t own = counter_memory(size, shift);

			/* For example, terabytes that a program has reserved as executable. */
			if (own > budget)
				continue;

			const unsigned finer = std::max(choose_shift(size, own + left), room_.floor);

			piece->counters = counters_for(*piece, std::min(shift, finer));
			left -= std::min(left, counter_memory(size, std::min(shift, finer)) - own);
		}
	}

	/* If the same text is mapped twice, the second mapping shares the counters of the first. */
	std::shared_ptr<CounterArray> counters_for(const Piece &piece, unsigned shift)
	{
		const uint64_t size = piece.high - piece.low;
		std::shared_ptr<CounterArray> found =
			pool_.find(*piece.object, piece.link, size, shift, room_.owner);

		return found ? found : pool_.add(piece.object, piece.link, size, shift, room_.owner);
	}

	CounterPool &pool_;
	Room room_;
	std::vector<Piece *> missing_;
};

void remember_text(const Piece &piece, const Mapping &mapping)
{
	const bool in_file = piece.object->source != Source::Anonymous;

	piece.object->texts.add(
		{piece.link, piece.link + (piece.high - piece.low), in_file ? mapping.offset : 0}, in_file);
}

std::vector<Piece> lay_out(pid_t pid, std::span<const Mapping> mappings, ObjectTable &objects,
			   std::span<const Piece> old)
{
	std::vector<Piece> pieces;

	for (const Mapping &mapping : mappings) {
		const Piece fresh = piece_of(pid, mapping, objects);

		remember_text(fresh, mapping);
		carry_over(fresh, old, pieces);
	}
	return pieces;
}

/* Beyond the module's limit, the smallest pieces get no counters. */
void limit_regions(std::vector<Piece> &pieces, uint32_t most)
{
	std::vector<Piece *> counting;

	for (Piece &piece : pieces) {
		if (piece.counters)
			counting.push_back(&piece);
	}
	if (counting.size() <= most)
		return;
	std::sort(counting.begin(), counting.end(),
		  [](const Piece *a, const Piece *b) { return a->high - a->low > b->high - b->low; });
	for (size_t i = most; i < counting.size(); i++)
		counting[i]->counters.reset();
}

/** A valid region that contains no PC. */
profil_region nowhere()
{
	profil_region region = {};

	region.high = 1;
	region.width = counter_bytes;
	return region;
}

} // namespace

void Coverage::update(pid_t pid, std::span<const Mapping> mappings, ObjectTable &objects, CounterPool &pool,
		      Room room)
{
	std::vector<Piece> pieces = lay_out(pid, mappings, objects, pieces_);

	if (room.bytes)
		Planner(pool, room).plan(pieces);
	limit_regions(pieces, room.regions);
	pieces_ = std::move(pieces);
}

const Piece *Coverage::find(uint64_t pc) const
{
	auto above = std::upper_bound(pieces_.begin(), pieces_.end(), pc,
				      [](uint64_t value, const Piece &piece) { return value < piece.low; });

	if (above == pieces_.begin())
		return nullptr;
	--above;
	return pc < above->high ? &*above : nullptr;
}

std::vector<profil_region> Coverage::regions() const
{
	std::vector<profil_region> regions;

	for (const Piece &piece : pieces_) {
		if (piece.counters)
			regions.push_back(piece.counters->region(piece.low, piece.high, piece.link));
	}
	if (regions.empty())
		regions.push_back(nowhere());
	return regions;
}

void Coverage::drop_counters_beyond(const Coverage &other)
{
	std::set<std::shared_ptr<CounterArray>> known;

	for (const Piece &piece : other.pieces_)
		known.insert(piece.counters);
	for (Piece &piece : pieces_) {
		if (!known.contains(piece.counters))
			piece.counters.reset();
	}
}

uint64_t Coverage::bytes() const
{
	uint64_t sum = 0;

	for (const Piece &piece : pieces_)
		sum += piece.counters ? piece.counters->bytes() : 0;
	return sum;
}

} // namespace cli
