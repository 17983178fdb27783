// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/tables.cpp  Recordings whose table is replaced, and numbers that are forgotten.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <set>
#include <sys/wait.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

uint64_t sum_of(const std::vector<Row> &rows)
{
	uint64_t sum = 0;

	for (const Row &row : rows)
		sum += row.count;
	return sum;
}

/** Runs through many loops, so that many elements are needed. */
class Scattered {
public:
	static constexpr size_t loops = 1000, apart = 16;

	pid_t pid() const { return child_.pid(); }

private:
	Child child_{[] {
		const Burner burner;
		for (size_t i = 0; i < loops; i++)
			burner.plant_loop(text + i * apart);
		for (;;)
			for (size_t i = 0; i < loops; i++)
				Burner::spin(text + i * apart, 10'000);
	}};
};

/** The place of a file's hottest key in the recording's table. */
size_t place_in_table(Recording &recording, const std::string &path)
{
	const auto *const counts = recording.table().at<profil_count>();
	Row hottest = {};

	for (const Row &row : recording.rows())
		if (row.text.place == path && row.count > hottest.count)
			hottest = row;
	const uint64_t key = uint64_t{hottest.cell} << PROFIL_COUNT_SHIFT | hottest.offset;
	size_t place = 0;
	while (counts[place].key != key)
		place++;
	return place;
}

} // namespace

TEST_CASE_METHOD(AtRest, "the place of a key in a table cannot be known beforehand", "[record][hostile]")
{
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;
	std::set<size_t> places;

	recording.begin(child.pid());
	for (int i = 0; i < 8; i++) {
		REQUIRE(grows([&] { return recording.in_file(file.path()); }));
		places.insert(place_in_table(recording, file.path()));
		recording.change_table(4096);
	}
	CHECK(places.size() > 1);
}

TEST_CASE_METHOD(AtRest, "a recording counts in another table once it is given one", "[record]")
{
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;
	const auto ticks = [&] { return recording.in_file(file.path()); };

	recording.begin(child.pid());
	REQUIRE(grows(ticks));
	const uint64_t before = sum_of(recording.change_table(256));
	CHECK(before >= 20);
	CHECK(grows(ticks));
	recording.finish();
	const profil_status status = recording.status();
	CHECK(before + recording.sum() == status.counted + status.kernel);
	CHECK(status.lost_full == 0);
}

TEST_CASE_METHOD(AtRest, "no tick is lost, and none counts twice, while tables change", "[record][lifetime]")
{
	const Scattered child;
	Recording recording(16384);
	uint64_t sum = 0;

	recording.begin(child.pid());
	for (int i = 0; i < 200; i++) {
		sum += sum_of(recording.change_table(i % 2 ? 16384 : 32768));
		usleep(2000);
	}
	recording.finish();
	const profil_status status = recording.status();
	CHECK(sum > 0);
	CHECK(sum + recording.sum() == status.counted + status.kernel);
	CHECK(status.lost_full == 0);
	CHECK(status.ticks == causes(status));
}

TEST_CASE_METHOD(AtRest, "a larger table has room for what a full one had not", "[record]")
{
	const Scattered child;
	Recording recording(256);

	recording.begin(child.pid());
	REQUIRE(soon([&] { return recording.status().lost_full > 0; }));
	recording.change_table(16384);
	const uint64_t lost = recording.status().lost_full;
	CHECK(grows([&] { return recording.sum(); }, 1000));
	CHECK(recording.status().lost_full == lost);
}

namespace {

/**
 * The ticks lost for lack of room in a table of 256 elements, at 24 places that would be neighbours
 * there without the table's secret.
 */
uint64_t lost_side_by_side(uintptr_t from)
{
	/* In a table of 256 the top 8 bits of a place's hash select its first element. */
	const auto side_by_side = [](uintptr_t pc) { return (pc * 0x61C8864680B583EB >> 56) == 0; };
	constexpr size_t number = 24;
	std::vector<uintptr_t> places;

	for (uintptr_t pc = from; places.size() < number; pc += 16)
		if (side_by_side(pc))
			places.push_back(pc);
	Child child([&] {
		const Burner burner(text, 0x80000);
		for (const uintptr_t pc : places)
			burner.plant_loop(pc);
		for (;;)
			for (const uintptr_t pc : places)
				Burner::spin(pc, 10'000);
	});
	Recording recording(256);

	recording.begin(child.pid());
	CHECK(soon([&] { return recording.status().ticks >= 500; }));
	recording.finish();
	return recording.status().lost_full;
}

} // namespace

TEST_CASE_METHOD(AtRest, "places whose usual hashes are side by side lose nothing while the table has room",
		 "[record]")
{
	CHECK(lost_side_by_side(text) == 0);
}

TEST_CASE_METHOD(AtRest, "only the owner of a recording's table gives it another one", "[record]")
{
	Child child([] { pause(); });
	Recording recording;
	const Memory table(4096, MAP_SHARED);

	recording.begin(child.pid());
	CHECK(in_child([&] {
		      profil_table change = recording.request_table(table);
		      return recording.device().call(PROFIL_TABLE, &change);
	      }) == EPERM);
	profil_table change = recording.request_table(table);
	CHECK(recording.device().call(PROFIL_TABLE, &change) == 0);
	recording.finish();
	CHECK(recording.device().call(PROFIL_TABLE, &change) == ENOENT);
}

TEST_CASE_METHOD(AtRest, "invalid requests for another table are refused, by ioctl and by io_uring",
		 "[record]")
{
	const auto way = GENERATE(by_ioctl, by_ring)();
	Child child([] { pause(); });
	Recording recording;
	const Memory table(4096);
	const auto with = [&](const std::function<void(profil_table &)> &change) {
		profil_table request = recording.request_table(table);

		change(request);
		return way(recording.device(), PROFIL_TABLE, &request, sizeof(request));
	};

	recording.begin(child.pid());
	CHECK(with([](auto &t) { t.flags = 1; }) == EINVAL);
	CHECK(with([](auto &t) { t.flags = 1U << 31; }) == EINVAL);
	CHECK(with([](auto &t) { t.table = 0; }) == EINVAL);
	CHECK(with([](auto &t) { t.table += 16; }) == EINVAL);
	CHECK(with([](auto &t) { t.table = ~0xfffULL; }) == EFAULT);
	CHECK(with([](auto &t) { t.nr_counts = 128; }) == EINVAL);
	CHECK(with([](auto &t) { t.nr_counts = 257; }) == EINVAL);
	CHECK(with([](auto &t) { t.nr_counts = 1U << 29; }) == EINVAL);
	CHECK(with([](auto &t) { t.profile = 0; }) == ENOENT);
	CHECK(with([](auto &t) { t.profile++; }) == ENOENT);
	CHECK(with([](auto &) {}) == 0);
	CHECK(recording.status().state == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "a forgotten number stands for nothing, and what counts again gets another",
		 "[record][lifetime]")
{
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
	});
	Recording recording;
	const auto ticks = [&] { return recording.in_file(file.path()); };

	recording.begin(child.pid());
	REQUIRE(grows(ticks));
	uint32_t cell = 0, number = 0;
	for (const Row &row : recording.change_table(4096)) {
		if (row.text.place == file.path()) {
			cell = row.cell;
			number = row.text.number;
		}
	}
	REQUIRE(cell > 15);
	const uint32_t last = recording.described(0).numbers;
	const auto forgotten = [&] {
		const Described all = recording.described(0);
		return all.numbers - all.in_use;
	};
	const auto number_since = [&](const std::function<bool(const Described &)> &fits) {
		for (uint32_t since = last + 1; since <= recording.described(0).numbers; since++)
			if (fits(recording.described(since)))
				return since;
		return 0U;
	};
	CHECK(forgotten() == 0);
	CHECK(recording.forget(cell) == 0);
	CHECK(recording.forget(cell) == ENOENT);
	CHECK(recording.forget(number) == 0);
	CHECK(forgotten() == 2);
	uint32_t again = 0;
	CHECK(soon([&] {
		again = number_since([&](const Described &one) { return one.place == file.path(); });
		return again != 0;
	}));
	CHECK(soon([&] {
		return number_since([&](const Described &one) {
			       return one.kind == PROFIL_KIND_CELL && one.text == again;
		       }) != 0;
	}));
	CHECK(forgotten() == 2);
}

TEST_CASE_METHOD(AtRest, "the numbers that every recording and every owner has are not forgotten alone",
		 "[record]")
{
	Child child([] { pause(); });
	Recording recording;

	recording.begin(child.pid());
	for (uint32_t number = 0; number <= 15; number++)
		CHECK(recording.forget(number) == EINVAL);
	CHECK(recording.forget(100'000) == ENOENT);
	/* The child's owner, and the three cells that every owner has. */
	for (const Described &owner : recording.owners("guest")) {
		const uint32_t in_use = recording.described(0).in_use;

		for (uint32_t cell = owner.number + 1; cell <= owner.number + 3; cell++)
			CHECK(recording.forget(cell) == EINVAL);
		CHECK(recording.forget(owner.number) == 0);
		for (uint32_t cell = owner.number; cell <= owner.number + 3; cell++)
			CHECK(recording.forget(cell) == ENOENT);
		CHECK(recording.described(0).in_use == in_use - 4);
	}
	CHECK(recording.described(1).kind == PROFIL_KIND_KERNEL);
	CHECK(recording.described(2).kind == PROFIL_KIND_UNKNOWN);
	CHECK(recording.described(3).kind == PROFIL_KIND_THREADS);
	CHECK(recording.described(4).kind == PROFIL_KIND_OWNER);
}
