// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/gmon_reader.h  A strict reader of gmon.out, and the symbols that nm(1)
 * lists. */
#pragma once

#include "tests/support/programs.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

namespace support {

/** The sums of all records of a file. */
struct GmonFile {
	std::map<uint64_t, uint64_t> ticks; /**< the counters that are not 0, by address */
	std::map<std::pair<uint64_t, uint64_t>, uint64_t> calls; /**< from, self */
	uint32_t hz = 0;
	uint64_t bin = 0; /**< bytes of text for each counter */

	/** The ticks in [low, high). */
	[[nodiscard]] uint64_t ticks_in(uint64_t low, uint64_t high) const
	{
		uint64_t sum = 0;

		for (auto at = ticks.lower_bound(low); at != ticks.end() && at->first < high; at++)
			sum += at->second;
		return sum;
	}

	[[nodiscard]] uint64_t all_ticks() const { return ticks_in(0, UINT64_MAX); }

	/** The number of calls of functions in [low, high). */
	[[nodiscard]] uint64_t calls_of(uint64_t low, uint64_t high) const
	{
		uint64_t sum = 0;

		for (const auto &[ends, count] : calls)
			if (ends.second >= low && ends.second < high)
				sum += count;
		return sum;
	}
};

/** Throws if the file is not complete. */
inline GmonFile read_gmon(const std::string &path)
{
	std::ifstream in(path, std::ios::binary);
	const std::string bytes((std::istreambuf_iterator<char>(in)), {});
	GmonFile file;
	size_t at = 0;
	const auto take = [&](auto &value) {
		if (bytes.size() - at < sizeof value)
			throw std::runtime_error(path + " ends in the middle");
		memcpy(&value, &bytes[at], sizeof value);
		at += sizeof value;
	};
	struct {
		char cookie[4];
		uint32_t version;
		char spare[12];
	} header;

	take(header);
	if (memcmp(header.cookie, "gmon", 4) != 0 || header.version != 1)
		throw std::runtime_error(path + " is not a gmon.out");
	while (at < bytes.size()) {
		uint8_t tag;
		uint64_t first, second;
		uint32_t nr;

		take(tag);
		take(first);
		take(second);
		take(nr);
		if (tag == 1) {
			file.calls[{first, second}] += nr;
			continue;
		}

		char unit[16];

		take(file.hz);
		take(unit);
		if (tag != 0 || memcmp(unit, "seconds\0\0\0\0\0\0\0\0s", 16) != 0 || !nr ||
		    (second - first) % nr)
			throw std::runtime_error(path + " has an unknown record");
		if (file.bin && file.bin != (second - first) / nr)
			throw std::runtime_error(path + " has two scales");
		file.bin = (second - first) / nr;
		for (uint32_t i = 0; i < nr; i++) {
			uint16_t count;

			take(count);
			if (count)
				file.ticks[first + i * file.bin] += count;
		}
	}
	return file;
}

/** A function's addresses in its file: [low, high). */
struct Symbol {
	uint64_t low, high;
};

/** All symbols of a program.  nm runs once per program, because it takes a second in a guest. */
inline const std::map<std::string, Symbol> &symbols_of(const std::string &program)
{
	static std::map<std::string, std::map<std::string, Symbol>> known;

	if (known.count(program))
		return known[program];

	std::istringstream lines(run("nm -S " + program).text);
	std::string low, size, type, name;

	for (std::string line; getline(lines, line);) {
		std::istringstream cells(line);

		if (cells >> low >> size >> type >> name) {
			const uint64_t first = std::stoull(low, nullptr, 16);

			known[program][name] = {first, first + std::stoull(size, nullptr, 16)};
		}
	}
	return known[program];
}

inline Symbol symbol_of(const std::string &program, const std::string &name)
{
	const auto &symbols = symbols_of(program);

	if (!symbols.count(name))
		throw std::runtime_error("no symbol " + name + " in " + program);
	return symbols.at(name);
}

/** A line of gprof's flat profile. */
struct FlatLine {
	double self_seconds = -1;
	long calls = -1;
	size_t place = 0; /**< of the line, from 1 */
};

/** The flat profile that gprof(1) prints for a file. */
inline std::map<std::string, FlatLine> flat_profile(const std::string &program, const std::string &file)
{
	const Output output = run("gprof -b -p " + program + " " + file);
	std::istringstream lines(output.text);
	std::map<std::string, FlatLine> flat;

	if (output.status)
		throw std::runtime_error("gprof: " + output.text);
	for (std::string line; getline(lines, line);) {
		std::istringstream words(line);
		const std::vector<std::string> cells(std::istream_iterator<std::string>(words), {});
		FlatLine one;

		/* Cells: %, cumulative, self; calls and two more, if there are any calls; name. */
		if (cells.size() != 4 && cells.size() != 7)
			continue;
		if (cells[0].find_first_not_of("0123456789.") != std::string::npos)
			continue;
		one.self_seconds = std::stod(cells[2]);
		one.calls = cells.size() == 7 ? std::stol(cells[3]) : 0;
		one.place = flat.size() + 1;
		flat[cells.back()] = one;
	}
	return flat;
}

} // namespace support
