// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/vectors.cpp  The oracle's vectors through the kernel: a loop at a known
 * distance from the offset, one tick, one counter.  (tests/host/lib/bin.cpp tests all vectors by
 * arithmetic alone.)
 */
#include "tests/guest/flavour/support.h"

#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace guest;
using namespace lib_test;
using namespace support;

extern "C" {
int profil_linux(unsigned short *, size_t, size_t, unsigned);
void profil_solaris(unsigned short *, size_t, size_t, unsigned);
int profil_irix(unsigned short *, unsigned, size_t, unsigned);
int profil_bsd(char *, size_t, unsigned long, unsigned);
void profil_tru64(void *, size_t, unsigned long, unsigned long);
void profil_aix(unsigned short *, size_t, unsigned long, unsigned);
int sprofil_linux(void *, int, timeval *, unsigned);
int sprofil_irix(void *, int, timeval *, unsigned);
}

namespace {

constexpr uintptr_t text = 0x500000000000; /* with room below */
constexpr size_t buffer_max = 0x40000;
constexpr size_t wanted = 50; /* vectors that count, and as many that do not */

struct Vector {
	std::string flavour;
	unsigned width;
	uint32_t scale;
	uint64_t size, distance;
	std::string counter; /* its index, or another outcome */
};

std::string data_file()
{
	const std::string name = "tests/host/data/vectors.tsv";
	const auto beside = std::filesystem::path(build_dir()).parent_path() / name;

	return exists(beside) ? beside.string() : name;
}

/** True if the flavour's call can express this vector. */
bool can_be_said(const Vector &v)
{
	const bool below = v.distance == -1ULL;

	if (v.distance > text && !below)
		return false;
	if (below && v.scale == 2)
		return false; /* counts every PC, even outside the loop */
	if (v.flavour == "tru64" && v.width == 4)
		return !below && v.counter != "-"; /* this form takes no buffer size */
	return true;
}

std::vector<Vector> vectors_of(const std::string &flavour, unsigned width)
{
	std::ifstream file(data_file());
	std::vector<std::string> distances;
	std::vector<Vector> all;

	for (std::string line; getline(file, line);) {
		const auto cells = cells_of(line);

		if (line.starts_with("#"))
			continue;
		if (distances.empty()) {
			distances = cells;
			continue;
		}
		if (cells[0] != flavour || std::stoul(cells[1]) != width)
			continue;
		for (size_t i = 4; i < cells.size(); i++) {
			const uint64_t distance =
				distances[i][0] == '-' ? std::stoll(distances[i]) : std::stoull(distances[i]);
			const Vector v = {flavour,
					  width,
					  static_cast<uint32_t>(std::stoul(cells[2])),
					  std::stoull(cells[3]),
					  distance,
					  cells[i]};
			if (can_be_said(v))
				all.push_back(v);
		}
	}
	return all;
}

bool is_counted_somewhere(const Vector &v)
{
	return isdigit(v.counter[0]);
}

/** A fixed choice of vectors, the same each time. */
std::vector<Vector> chosen(const std::string &flavour, unsigned width)
{
	auto all = vectors_of(flavour, width);
	std::vector<Vector> some;

	std::shuffle(all.begin(), all.end(), std::mt19937(1979));
	for (const bool counted : {true, false})
		std::copy_if(all.begin(), all.end(), std::back_inserter(some),
			     [&, n = size_t{0}](const Vector &v) mutable {
				     return is_counted_somewhere(v) == counted && n++ < wanted;
			     });
	return some;
}

int start_wide(const Vector &v, void *buffer, uintptr_t pc)
{
	struct {
		void *base;
		unsigned size;
		size_t offset;
		unsigned scale;
	} irix = {buffer, static_cast<unsigned>(v.size), pc - v.distance, v.scale};
	struct {
		void *base;
		size_t size, offset;
		unsigned long scale;
	} linux_ = {buffer, v.size, pc - v.distance, v.scale};
	struct {
		void *buffer;
		uintptr_t high, low, offset;
		unsigned scale;
	} tru64 = {buffer, pc, pc - v.distance, pc - v.distance, v.scale};

	if (v.flavour == "irix")
		return sprofil_irix(&irix, 1, nullptr, 2);
	if (v.flavour == "linux")
		return sprofil_linux(&linux_, 1, nullptr, 1);
	profil_tru64(&tru64, 1, -1UL, 0);
	return 0;
}

int start(const Vector &v, void *buffer, uintptr_t pc)
{
	auto *const shorts = static_cast<unsigned short *>(buffer);
	const uintptr_t offset = pc - v.distance;

	if (v.width == 4)
		return start_wide(v, buffer, pc);
	if (v.flavour == "linux")
		return profil_linux(shorts, v.size, offset, v.scale);
	if (v.flavour == "irix")
		return profil_irix(shorts, static_cast<unsigned>(v.size), offset, v.scale);
	if (v.flavour == "bsd")
		return profil_bsd(static_cast<char *>(buffer), v.size, offset, v.scale);
	if (v.flavour == "solaris")
		profil_solaris(shorts, v.size, offset, v.scale);
	else if (v.flavour == "tru64")
		profil_tru64(shorts, v.size, offset, v.scale);
	else
		profil_aix(shorts, v.size, offset, v.scale);
	return 0;
}

uint64_t counter_at(const Vector &v, const Memory &buffer, size_t index)
{
	return v.width == 4 ? *buffer.at<volatile uint32_t>(index * 4)
			    : *buffer.at<volatile uint16_t>(index * 2);
}

void check_vector(const Vector &v, const Loop &loop)
{
	const Memory buffer(buffer_max + 4096);

	INFO(v.flavour << ' ' << v.width << std::hex << " distance 0x" << v.distance << " scale 0x" << v.scale
		       << " size 0x" << v.size << " counter " << v.counter);
	errno = 0;
	const int result = start(v, buffer.at(), loop.pc());
	if (v.counter == "EINVAL") {
		CHECK(result == -1);
		CHECK(errno == EINVAL);
		return;
	}
	CHECK(result == 0);
	CHECK(errno == 0);
	if (is_counted_somewhere(v)) {
		const size_t index = std::stoull(v.counter);

		loop.spin_until([&] { return counter_at(v, buffer, index) != 0; });
	} else if (v.counter == "off") {
		CHECK(state() == PROFIL_STATE_NONE);
	} else if (state() == PROFIL_STATE_RUNNING) {
		const auto before = self_status().ticks;

		loop.spin_until([&] { return self_status().ticks >= before + 2; });
	}
	need(profil_self_stop(nullptr), "stop");
	if (!is_counted_somewhere(v)) {
		const auto *const bytes = buffer.at<const char>();

		CHECK(std::count(bytes, bytes + buffer.bytes(), 0) == static_cast<ptrdiff_t>(buffer.bytes()));
	}
}

} // namespace

TEST_CASE_METHOD(AtRest, "the kernel counts a hundred of the oracle's vectors of each flavour as predicted",
		 "[lib][flavour][every-kernel]")
{
	static constexpr struct {
		const char *flavour;
		unsigned width;
	} kinds[] = {{"solaris", 2}, {"irix", 2}, {"irix", 4},	{"bsd", 2},  {"tru64", 2},
		     {"tru64", 4},   {"aix", 2},  {"linux", 2}, {"linux", 4}};
	const Loop loop(text);
	const OffAtEnd off;

	for (const auto &kind : kinds) {
		const auto some = chosen(kind.flavour, kind.width);

		INFO(kind.flavour << " " << kind.width << ": " << some.size());
		CHECK(some.size() == 2 * wanted);
		for (const Vector &v : some)
			check_vector(v, loop);
	}
}
