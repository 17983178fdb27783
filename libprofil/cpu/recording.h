// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/cpu/recording.h  A recording of the process itself, until it stops or pauses. */
#pragma once

#include "libprofil/cpu/counts.h"
#include "libprofil/cpu/text.h"
#include "libprofil/device.h"
#include "libprofil/growing.h"

#include <cstdint>
#include <linux/profil_record.h>

namespace libprofil {

/** The samples of a profile, with what its numbers of texts stand for. */
struct CpuSamples {
	CodeTexts texts;
	Counts counts;
};

/* Elements of a table: see struct profil_record. */
constexpr uint32_t least_places = 256;
constexpr uint32_t most_places = 1U << 28;

/** A table of counts, in a mapping of its own. */
class CountTable {
public:
	/** False without memory. */
	[[nodiscard]] bool map(uint32_t nr);
	void unmap();

	explicit operator bool() const { return counts_; }
	[[nodiscard]] uint32_t size() const { return nr_; }
	[[nodiscard]] uint64_t address() const { return reinterpret_cast<uintptr_t>(counts_); }
	[[nodiscard]] const profil_count *begin() const { return counts_; }
	[[nodiscard]] const profil_count *end() const { return counts_ + nr_; }

private:
	profil_count *counts_ = nullptr;
	uint32_t nr_ = 0;
};

/**
 * Counts of the module, which are taken from it again and again.
 *
 * The module counts in one table.  When the samples are taken, the module gets another table.  The
 * old one then no longer changes, and is added to the profile's samples.  Without memory for that, it
 * waits until the samples are taken again.
 *
 * If the program closes the descriptor, that ends the recording: the samples are still in its table,
 * and those of texts that are not known yet are of an unknown text.
 */
class CpuRecording {
public:
	/**
	 * Begin.
	 * @param flags of PROFIL_RECORD.
	 * @param period in ns.
	 * @param places elements of the first table.
	 * @return 0, or an errno value.
	 */
	[[nodiscard]] int begin(uint32_t flags, uint64_t period, uint32_t places);

	/** Move what was counted to the samples.  @return 0, or an errno value: nothing is lost. */
	[[nodiscard]] int take(CpuSamples &samples);

	/**
	 * End, take what is left, and add the account of its ticks.
	 * @return 0, or an errno value: nothing is lost, and end() has to be called again.
	 */
	[[nodiscard]] int end(CpuSamples &samples, profil_status &account);

	/** Count in the calling thread, too. */
	[[nodiscard]] int add_thread() const;
	[[nodiscard]] int status(profil_status &status) const;

	/** Elements of the last table. */
	[[nodiscard]] uint32_t places() const { return places_; }

	/** Forget a recording of the parent, in a child made by fork; or one that has ended. */
	void drop();

private:
	template <typename Use> [[nodiscard]] int with_table(uint32_t places, Use use);
	[[nodiscard]] int change_table();
	[[nodiscard]] int stop(CpuSamples &samples);
	[[nodiscard]] int add_up(CountTable &table, CpuSamples &samples);
	/** Learn what all keys of a table stand for.  @param used receives their number. */
	[[nodiscard]] int learn_all(const CountTable &table, CpuSamples &samples, size_t &used);
	[[nodiscard]] int learn(uint32_t cell, CpuSamples &samples);
	[[nodiscard]] int learn_text(uint32_t cell, CpuSamples &samples, uint32_t &text) const;
	[[nodiscard]] int describe(uint32_t number, profil_describe &about, char *path, uint32_t bytes) const;

	Device device_;
	uint32_t profile_ = 0;
	uint32_t places_ = 0;
	profil_status last_ = {}; /**< once it has ended */
	bool ended_ = false;
	CountTable table_;	  /**< where the module counts */
	CountTable old_;	  /**< no longer changes, and is to be added up */
	Growing<uint32_t> cells_; /**< by the number of a cell: 1 + the number of its text; 0: not known */
};

/** Add the causes of @p more to those of @p sum; its other members replace those of @p sum. */
void add_account(profil_status &sum, const profil_status &more);

} // namespace libprofil
