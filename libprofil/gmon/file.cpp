// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon/file.h"

#include "libprofil/scratch.h"
#include "libprofil/whole_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace libprofil {
namespace {

/* Tags of records. */
constexpr uint8_t time_histogram = 0;
constexpr uint8_t call_arc = 1;

/* Size and alignment of a record's text.  Small, as a count above 65,535 needs another record. */
constexpr uintptr_t text_of_record = 1 << 16;

constexpr uint32_t histogram_max = UINT16_MAX;
constexpr uint32_t calls_max = INT32_MAX;

/** Buffered output to a file; keeps the first error. */
class Writer {
public:
	explicit Writer(int fd) : fd_(fd) {}

	void put(const void *bytes, size_t nr)
	{
		const auto *from = static_cast<const char *>(bytes);

		while (nr) {
			const size_t part = std::min(nr, sizeof buffer_ - used_);

			memcpy(buffer_ + used_, from, part);
			used_ += part;
			from += part;
			nr -= part;
			if (used_ == sizeof buffer_)
				flush();
		}
	}

	template <typename Value> void put(const Value &value) { put(&value, sizeof value); }

	/** @return 0, or the first error. */
	[[nodiscard]] int finish()
	{
		flush();
		return error_;
	}

private:
	void flush()
	{
		for (size_t done = 0; done < used_ && !error_;) {
			const ssize_t nr = write(fd_, buffer_ + done, used_ - done);

			if (nr > 0)
				done += static_cast<size_t>(nr);
			else if (errno != EINTR)
				error_ = nr ? errno : EIO;
		}
		used_ = 0;
	}

	int fd_;
	int error_ = 0;
	size_t used_ = 0;
	char buffer_[8192];
};

/* Read each counter only once: it may still change, and two reads could differ. */
uint32_t counter(const TextCounters &range, size_t index)
{
	if (index >= range.bytes / range.width)
		return 0;
	if (range.width == sizeof(uint16_t))
		return __atomic_load_n(static_cast<const uint16_t *>(range.counters) + index,
				       __ATOMIC_RELAXED);
	return __atomic_load_n(static_cast<const uint32_t *>(range.counters) + index, __ATOMIC_RELAXED);
}

/** A stretch of text that has records of its own. */
class Stretch {
public:
	/** @param shift a counter stands for (1 << shift) bytes of text. */
	Stretch(uint8_t shift) : shift_(shift), ticks_(text_of_record >> shift) {}

	/** False if there was no memory. */
	explicit operator bool() const { return static_cast<bool>(ticks_); }

	/** Load the counts from low on.  In the file's addresses low is a multiple of text_of_record. */
	void fill(uintptr_t low, const Gmon &gmon)
	{
		low_ = low;
		greatest_ = 0;
		memset(ticks_.get(), 0, ticks_.size() * sizeof(uint64_t));
		for (size_t i = 0; i < gmon.nr_ranges; i++)
			add(gmon.ranges[i]);
	}

	/** Write as many records as the greatest count needs. */
	void write(Writer &writer, uintptr_t base, uint32_t hz, bool at_least_one) const
	{
		for (uint64_t before = 0; before < greatest_ || (at_least_one && !before);
		     before += histogram_max)
			put(writer, base, hz, before);
	}

private:
	void add(const TextCounters &range)
	{
		const uintptr_t first = std::max(range.low, low_),
				end = std::min(range.high, low_ + text_of_record);

		if (first >= end)
			return;
		for (size_t i = (first - range.first_pc()) >> range.shift;; i++) {
			const uintptr_t pc = range.first_pc() + (i << range.shift);

			if (pc >= end)
				break;

			uint64_t &sum = ticks_[(pc - low_) >> shift_];

			sum += counter(range, i);
			greatest_ = std::max(greatest_, sum);
		}
	}

	/* Write the rest of each count; @before was written in earlier records. */
	void put(Writer &writer, uintptr_t base, uint32_t hz, uint64_t before) const
	{
		static constexpr char dimension[15] = "seconds";

		writer.put(time_histogram);
		writer.put(low_ - base);
		writer.put(low_ - base + text_of_record);
		writer.put(static_cast<uint32_t>(ticks_.size()));
		writer.put(hz);
		writer.put(dimension);
		writer.put('s');
		for (size_t i = 0; i < ticks_.size(); i++) {
			const uint64_t rest = ticks_[i] > before ? ticks_[i] - before : 0;

			writer.put(static_cast<uint16_t>(std::min<uint64_t>(rest, histogram_max)));
		}
	}

	uint8_t shift_;
	uintptr_t low_ = 0;
	uint64_t greatest_ = 0;
	Scratch<uint64_t> ticks_;
};

uint8_t coarsest(const Gmon &gmon)
{
	uint8_t shift = 0;

	for (size_t i = 0; i < gmon.nr_ranges; i++)
		shift = std::max(shift, gmon.ranges[i].shift);
	return shift;
}

/* Write records only where something was counted, but at least one: gprof needs the scale. */
int put_histograms(Writer &writer, const Gmon &gmon)
{
	Stretch stretch(coarsest(gmon));
	uintptr_t done = 0;

	if (!stretch)
		return ENOMEM;
	for (size_t i = 0; i < gmon.nr_ranges; i++) {
		const TextCounters &range = gmon.ranges[i];

		const uintptr_t first = range.base + ((range.low - range.base) & ~(text_of_record - 1));

		for (uintptr_t low = std::max(first, done); low < range.high; low += text_of_record) {
			stretch.fill(low, gmon);
			stretch.write(writer, range.base, gmon.hz, !done);
			done = low + text_of_record;
		}
	}
	return 0;
}

bool holds(const TextCounters &range, uintptr_t pc)
{
	return pc >= range.low && pc < range.high;
}

/* The called function's range; nullptr if gprof cannot name the function or its caller. */
const TextCounters *range_of(const Gmon &gmon, const Call &call)
{
	const TextCounters *self = nullptr, *from = nullptr;

	for (size_t i = 0; i < gmon.nr_ranges; i++) {
		if (holds(gmon.ranges[i], call.self))
			self = gmon.ranges + i;
		if (holds(gmon.ranges[i], call.from))
			from = gmon.ranges + i;
	}
	return from ? self : nullptr;
}

template <typename Visit> void visit_calls(const Gmon &gmon, Visit visit)
{
	if (!gmon.calls)
		return;

	const uint32_t used = __atomic_load_n(&gmon.calls->used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 1; i <= used && i < Calls::most; i++) {
		const Call &call = gmon.calls->call[i];
		const uint64_t count = __atomic_load_n(&call.count, __ATOMIC_ACQUIRE);

		if (const TextCounters *range = count ? range_of(gmon, call) : nullptr)
			visit(call, count, *range);
	}
}

void put_calls(Writer &writer, const Gmon &gmon)
{
	visit_calls(gmon, [&](const Call &call, uint64_t count, const TextCounters &range) {
		while (count) {
			const uint32_t part = static_cast<uint32_t>(std::min<uint64_t>(count, calls_max));

			writer.put(call_arc);
			writer.put(call.from - range.base);
			writer.put(call.self - range.base);
			writer.put(part);
			count -= part;
		}
	});
}

int write_to(int fd, const Gmon &gmon)
{
	static constexpr char cookie[4] = {'g', 'm', 'o', 'n'};
	static constexpr char spare[12] = {};
	Writer writer(fd);

	writer.put(cookie);
	writer.put(uint32_t{1});
	writer.put(spare);
	if (const int error = put_histograms(writer, gmon))
		return error;
	put_calls(writer, gmon);
	return writer.finish();
}

} // namespace

bool has_counts(const Gmon &gmon)
{
	bool any = false;

	for (size_t i = 0; i < gmon.nr_ranges && !any; i++) {
		const TextCounters &range = gmon.ranges[i];

		for (size_t index = 0; index < range.bytes / range.width && !any; index++)
			any = counter(range, index) != 0;
	}
	visit_calls(gmon, [&](const Call &, uint64_t, const TextCounters &) { any = true; });
	return any;
}

int write_gmon(const char *path, const Gmon &gmon)
{
	WholeFile file;

	if (const int error = file.create(path))
		return error;
	return file.finish(write_to(file.fd(), gmon));
}

} // namespace libprofil
