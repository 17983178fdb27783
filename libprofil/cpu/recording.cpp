// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/cpu/recording.h"

#include <cerrno>
#include <climits>
#include <cstring>

namespace libprofil {
namespace {

/* A path and " (deleted)". */
constexpr size_t path_bytes = PATH_MAX + 16;

uint64_t key_of(const profil_count &count)
{
	return __atomic_load_n(&count.key, __ATOMIC_RELAXED);
}

uint32_t cell_of(uint64_t key)
{
	return static_cast<uint32_t>(key >> PROFIL_COUNT_SHIFT);
}

} // namespace

bool CountTable::map(uint32_t nr)
{
	counts_ = static_cast<profil_count *>(map_zeroes(nr * sizeof(profil_count)));
	nr_ = counts_ ? nr : 0;
	return counts_;
}

void CountTable::unmap()
{
	if (counts_)
		munmap(counts_, nr_ * sizeof(profil_count));
	counts_ = nullptr;
	nr_ = 0;
}

int CpuRecording::begin(uint32_t flags, uint64_t period, uint32_t places)
{
	profil_record record = {};

	if (const int error = device_.open())
		return error;
	device_.raise();
	record.size = sizeof record;
	record.flags = flags | PROFIL_RECORD_SELF;
	record.proof = -1;
	record.period = period;

	const int error = with_table(places, [&](const CountTable &table) {
		record.table = table.address();
		record.nr_counts = table.size();
		return device_.sized(PROFIL_RECORD, &record);
	});

	if (error)
		drop();
	profile_ = record.profile;
	return error;
}

template <typename Use> int CpuRecording::with_table(uint32_t places, Use use)
{
	CountTable fresh;
	int error = ENOMEM;

	/* A smaller table may still fit into the user's limits. */
	for (places_ = places;; places_ /= 2) {
		error = fresh.map(places_) ? use(fresh) : ENOMEM;
		if (!error)
			break;
		fresh.unmap();
		if ((error != ENOMEM && error != EDQUOT) || places_ <= least_places) {
			places_ = places;
			return error;
		}
	}
	old_ = table_;
	table_ = fresh;
	return 0;
}

int CpuRecording::change_table()
{
	profil_table change = {};

	if (!device_.is_open())
		return ENOENT;
	change.size = sizeof change;
	change.profile = profile_;
	return with_table(places_, [&](const CountTable &table) {
		change.nr_counts = table.size();
		change.table = table.address();
		return device_.sized(PROFIL_TABLE, &change);
	});
}

int CpuRecording::describe(uint32_t number, profil_describe &about, char *path, uint32_t bytes) const
{
	if (!device_.is_open())
		return ENOENT;
	about = {};
	about.size = sizeof about;
	about.profile = profile_;
	about.number = number;
	about.path = reinterpret_cast<uintptr_t>(path);
	about.path_size = path ? bytes : 0;
	return device_.sized(PROFIL_DESCRIBE, &about);
}

int CpuRecording::learn_text(uint32_t number, CpuSamples &samples, uint32_t &text) const
{
	char path[path_bytes];
	profil_describe about;
	int error = describe(number, about, nullptr, 0);

	if (!error) {
		const uint32_t text_number = about.text;

		error = describe(text_number, about, path, sizeof path);
		if (error == ENAMETOOLONG)
			error = describe(text_number, about, nullptr, 0);
	}
	/* The numbers are gone: see end(). */
	if (error == ENOENT) {
		about = {};
		about.kind = PROFIL_KIND_UNKNOWN;
		error = 0;
	}
	if (error)
		return error;
	return samples.texts.find(about, {path, about.path_size ? about.path_size - 1 : 0}, text) ? 0
												  : ENOMEM;
}

int CpuRecording::learn(uint32_t cell, CpuSamples &samples)
{
	uint32_t text;

	if (cell < cells_.size() && cells_[cell])
		return 0;
	if (cell >= cells_.size()) {
		if (!cells_.reserve(cell + 1 - cells_.size()))
			return ENOMEM;
		while (cells_.size() <= cell)
			cells_.append(0);
	}
	if (const int error = learn_text(cell, samples, text))
		return error;
	cells_[cell] = text + 1;
	return 0;
}

int CpuRecording::learn_all(const CountTable &table, CpuSamples &samples, size_t &used)
{
	used = 0;
	for (const profil_count &one : table) {
		if (const uint64_t key = key_of(one)) {
			if (const int error = learn(cell_of(key), samples))
				return error;
			used++;
		}
	}
	return 0;
}

/* First everything that can fail, so that a table is added as a whole or not at all. */
int CpuRecording::add_up(CountTable &table, CpuSamples &samples)
{
	size_t used = 0;

	if (const int error = learn_all(table, samples, used))
		return error;
	if (!samples.counts.reserve(used))
		return ENOMEM;
	for (const profil_count &one : table) {
		if (const uint64_t key = key_of(one); key && cell_of(key) < cells_.size())
			samples.counts.add(cells_[cell_of(key)] - 1,
					   key & ((uint64_t{1} << PROFIL_COUNT_SHIFT) - 1), one.count);
	}
	if (used > table.size() / 2 && table.size() == places_ && places_ < most_places)
		places_ *= 2;
	table.unmap();
	return 0;
}

int CpuRecording::take(CpuSamples &samples)
{
	if (old_) {
		if (const int error = add_up(old_, samples))
			return error;
	}
	if (!table_)
		return 0;

	const int error = ended_ ? ENOENT : change_table();

	/* PROFIL_STOP_ALL has ended the recording, or end() has. */
	if (error == ENOENT)
		return add_up(table_, samples);
	return error ? error : add_up(old_, samples);
}

int CpuRecording::stop(CpuSamples &samples)
{
	/* The program has closed our descriptor, which ended the recording. */
	if (!device_.is_open())
		return 0;

	const int error = device_.stop(profile_, nullptr, PROFIL_STOP_KEEP);

	if (!error)
		return status(last_);
	if (error != EDQUOT)
		return error;
	/* The user's account cannot take the numbers: learn what they mean while it counts. */
	size_t used;

	if (const int unlearned = learn_all(table_, samples, used))
		return unlearned;
	if (const int unknown = status(last_))
		return unknown;
	return device_.stop(profile_, nullptr);
}

int CpuRecording::end(CpuSamples &samples, profil_status &account)
{
	if (!ended_) {
		if (const int error = stop(samples))
			return error;
		ended_ = true;
	}
	if (const int error = take(samples))
		return error;
	add_account(account, last_);
	/* A child may have the descriptor, too: do not leave the numbers to it. */
	if (device_.is_open())
		(void)device_.stop(profile_, nullptr);
	drop();
	return 0;
}

int CpuRecording::add_thread() const
{
	profil_add add = {};

	add.size = sizeof add;
	add.profile = profile_;
	add.proof = -1;
	return device_.is_open() ? device_.sized(PROFIL_ADD, &add) : ENOENT;
}

int CpuRecording::status(profil_status &status) const
{
	status.size = sizeof status;
	if (ended_ || !device_.is_open()) {
		status = last_;
		return 0;
	}
	return device_.status(profile_, &status);
}

void CpuRecording::drop()
{
	device_.close();
	table_.unmap();
	old_.unmap();
	cells_.clear();
	profile_ = 0;
	last_ = {};
	ended_ = false;
}

void add_account(profil_status &sum, const profil_status &more)
{
	constexpr __u64 profil_status::*causes[] = {
		&profil_status::ticks,	   &profil_status::counted,   &profil_status::outside,
		&profil_status::saturated, &profil_status::kernel,    &profil_status::no_user_pc,
		&profil_status::off,	   &profil_status::lost_late, &profil_status::lost_contended,
		&profil_status::lost_full,
	};
	const profil_status before = sum;

	sum = more;
	for (const auto cause : causes)
		sum.*cause += before.*cause;
	sum.forks_lost += before.forks_lost;
}

} // namespace libprofil
