// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/recordings.cpp  Recordings of a storm of processes, while tables are
 * replaced, numbers forgotten, processes added and recordings ended: each tick is in exactly one
 * table.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <mutex>
#include <sys/mount.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

bool one_of(int error, std::initializer_list<int> errors)
{
	return std::find(errors.begin(), errors.end(), error) != errors.end();
}

/** The program that a storm of processes runs, in memory, so that reads never wait. */
class Program {
public:
	Program()
	{
		std::filesystem::copy_file(program("record_short"), path,
					   std::filesystem::copy_options::overwrite_existing);
	}
	~Program() { std::filesystem::remove(path); }

	/** A process with three children, each of which starts programs in its own way. */
	Child storm(const Gate &go, const std::string &number) const
	{
		return Child([=, this, &go] {
			std::deque<Child> all;

			go.wait();
			for (const char *how : {"fork", "exec", "vfork"})
				all.emplace_back([&] {
					execl(path, path, number.c_str(), how, nullptr);
					need(-1, path);
				});
			for (Child &one : all)
				one.join();
		});
	}

private:
	static constexpr const char *path = "/tmp/record_short";
};

/** Threads that each keep sending one kind of command to a recording while this lives. */
class Trouble {
public:
	explicit Trouble(const Recording &recording) : recording_(recording)
	{
		threads_.emplace_back([this] { loop([this] { change_table(); }); });
		for (const uint32_t flags : {0U, PROFIL_DESCRIBE_OPEN | 0U, PROFIL_DESCRIBE_RELEASE | 0U,
					     PROFIL_DESCRIBE_FORGET | 0U})
			threads_.emplace_back([=, this] {
				Ring ring(0, flags & PROFIL_DESCRIBE_OPEN ? IOSQE_ASYNC : 0);
				uint32_t number = 0;

				loop([&] { describe(ring, flags, ++number); });
			});
		threads_.emplace_back([this] { loop([this] { add(); }); });
	}
	~Trouble() { end(); }
	void end()
	{
		done_ = true;
		for (std::thread &thread : threads_)
			thread.join();
		threads_.clear();
	}

	unsigned changes() const { return changes_; }
	bool as_expected() const { return expected_; }
	uint64_t sum() const
	{
		uint64_t sum = 0;

		for (const auto &table : tables_)
			sum += sum_table(*table);
		return sum;
	}

private:
	void loop(const std::function<void()> &step)
	{
		while (!done_)
			step();
	}
	void expect(bool that)
	{
		if (!that)
			expected_ = false;
	}
	void change_table()
	{
		/* No table is freed, because all of them are added up at the end. */
		if (tables_.size() == 200) {
			sched_yield();
			return;
		}
		const Memory &table = *tables_.emplace_back(std::make_unique<Memory>(65536));
		profil_table change = recording_.request_table(table);

		expect(one_of(recording_.device().call(PROFIL_TABLE, &change), {0, ENOENT}));
		changes_++;
		usleep(2000);
	}
	void describe(Ring &ring, uint32_t flags, uint32_t &number)
	{
		profil_describe about = {};

		about.size = sizeof(about);
		about.flags = flags;
		about.profile = recording_.profile();
		about.number = number;
		const int error =
			number % 2 ? ring.call(recording_.device(), PROFIL_DESCRIBE, &about, sizeof(about))
				   : recording_.device().call(PROFIL_DESCRIBE, &about);
		if (!error && about.fd >= 0)
			close(about.fd);
		expect(one_of(error, {0, ENOENT, EINVAL, ENODATA, EACCES}));
		if (!error && number >= about.numbers)
			number = 0;
		if (error == ENOENT && number > 20'000)
			number = 0;
	}
	void add()
	{
		Child child([] { Burner().burn(text, 1'000'000); });
		const Fd proof = open_proof({.pid = child.pid()});

		if (proof.get() >= 0)
			/* EINVAL: a system-wide recording takes no processes. */
			expect(one_of(recording_.add_with(proof), {0, ENOENT, ESRCH, EINVAL, EEXIST}));
		child.reap();
	}

	const Recording &recording_;
	std::vector<std::unique_ptr<Memory>> tables_;
	std::vector<std::thread> threads_;
	std::atomic<bool> done_ = false, expected_ = true;
	std::atomic<unsigned> changes_ = 0;
};

uint64_t module_count()
{
	return module_ticks("counted") + module_ticks("kernel");
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "each tick is in exactly one table, whatever is done to the recording of a fork storm",
		 "[race][record]")
{
	enum End { after, keep, drop, all };
	const bool everybody = GENERATE(false, true);
	const uint32_t processes = GENERATE(0, PROFIL_RECORD_PROCESSES);
	const End end = GENERATE(after, keep, drop, all);
	const Program short_program;
	const Gate go;
	Child target = short_program.storm(go, std::to_string(rounds(slowness() > 1 ? 8 : 25)));
	Recording recording;
	const uint64_t before = module_count();

	CAPTURE(everybody, processes, end);
	if (everybody)
		REQUIRE(recording.begin_everybody(processes) == 0);
	else
		recording.begin(target.pid(), PROFIL_FOLLOW | processes);
	Trouble trouble(recording);
	go.open();
	if (end == after)
		target.join();
	else
		CHECK(soon([&] { return trouble.changes() > 20 && module_count() > before; }));
	profil_stop_all stop_all = {};
	stop_all.size = sizeof(stop_all);
	if (end == all)
		CHECK(Device().call(PROFIL_STOP_ALL, &stop_all) == 0);
	else if (end == drop)
		recording.device().stop(recording.profile());
	else
		recording.finish();
	trouble.end();
	if (end != after)
		target.join();
	const uint64_t sum = sum_table(recording.table()) + trouble.sum();
	CHECK(trouble.as_expected());
	CHECK(sum > 0);
	CHECK(soon([&] { return module_count() - before == sum; }));
	if (end != drop) {
		const profil_status status = recording.status();
		CHECK(status.state == PROFIL_STATE_STOPPED);
		CHECK(sum == status.counted + status.kernel);
		CHECK(status.lost_full == 0);
	}
}

TEST_CASE_METHOD(
	AtRest, "a table that is unmapped while it takes another's place ends the recording, or is not there",
	"[race][record]")
{
	const Burner burner;
	burner.plant_loop(text);
	const Child target = burning_child(text, 2);

	for (unsigned i = 0; i < rounds(40); i++) {
		Recording recording;
		Memory table(1 << 20);
		std::atomic<bool> go = false;

		recording.begin(target.pid());
		profil_table change = recording.request_table(table);
		std::thread unmapper([&] {
			while (!go)
				;
			Burner::spin(text, 100 * i + 1);
			munmap(table.at(), table.bytes());
		});
		go = true;
		const int error = recording.device().call(PROFIL_TABLE, &change);
		unmapper.join();
		table.forget();
		CHECK((error == 0 || error == EFAULT));
		CHECK(recording.status().state == (error ? PROFIL_STATE_RUNNING : PROFIL_STATE_FAULT));
		if (error)
			CHECK(grows([&] { return sum_table(recording.table()); }));
	}
}

TEST_CASE_METHOD(AtRest,
		 "a process that executes or ends while it is added has its own user, or is not there",
		 "[race][record]")
{
	constexpr uint32_t nobody = 65534;
	const auto path = program("uapi_target");
	const Child keeper([] { pause(); });
	Recording recording;
	unsigned added = 0;

	recording.begin(keeper.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	for (unsigned i = 0; i < rounds(60); i++) {
		const Gate ready, go;
		Child target([&] {
			become_nobody();
			ready.open();
			go.wait();
			const Burner burner;
			burner.plant_loop(text);
			Burner::spin(text, 300 * i + 1);
			if (i % 2)
				return;
			close(1);
			execl(path.c_str(), path.c_str(), "wait", nullptr);
		});
		ready.wait();
		const Fd proof = proof_of(target.pid());

		go.open();
		const int error = recording.add_with(proof);
		need_that(one_of(error, {0, ESRCH}), "it is added or has ended");
		added += !error;
		if (!error)
			CHECK(one_of(recording.add(keeper.pid()), {EEXIST}));
		if (i % 2)
			target.reap();
	}
	INFO(added << " added");
	for (uint32_t number = 16; number <= recording.described(0).numbers; number++) {
		const Described one = recording.described(number);

		if (one.kind == PROFIL_KIND_OWNER && one.pid != keeper.pid())
			CHECK(one.uid == nobody);
	}
}

TEST_CASE_METHOD(AtRest, "a process that is added while its recording stops is not followed afterwards",
		 "[race][record]")
{
	const Child keeper([] { pause(); });
	const char *refcnt = "/sys/module/profil/refcnt";
	/*
	 * The targets outlive the session: a watch that still followed them would use freed memory.
	 */
	std::deque<Child> targets;
	std::vector<Fd> proofs;

	for (unsigned i = 0; i < 8; i++)
		proofs.push_back(proof_of(targets.emplace_back([] { pause(); }).pid()));
	for (unsigned i = 0; i < rounds(250); i++) {
		const std::string references = read_file(refcnt);
		std::atomic<bool> go = false, expected = true;
		{
			Recording recording;

			recording.begin(keeper.pid(), PROFIL_FOLLOW | (i % 2 ? PROFIL_RECORD_PROCESSES : 0U));
			std::thread adder([&] {
				while (!go)
					;
				for (const Fd &proof : proofs)
					if (!one_of(recording.add_with(proof), {0, ENOENT}))
						expected = false;
			});
			go = true;
			for (unsigned spins = 100 * (i % 50); go && spins; spins--)
				;
			recording.device().stop(recording.profile());
			adder.join();
		}
		CHECK(expected);
		REQUIRE(soon([&] { return read_file(refcnt) == references; }));
	}
}

TEST_CASE_METHOD(
	AtRest,
	"files are closed for the last time while ticks look for them, and let go of their file system",
	"[race][record]")
{
	const std::string at = "/tmp/profil-closed";
	std::filesystem::create_directory(at);
	need(mount("tmpfs", at.c_str(), "tmpfs", 0, nullptr), "mount");
	{
		Recording recording;

		REQUIRE(recording.begin_everybody() == 0);
		for (unsigned i = 0; i < rounds(40); i++) {
			Child child([&] {
				const std::string name = at + "/" + std::to_string(i);
				{
					const Fd file(
						need(open(name.c_str(), O_RDWR | O_CREAT, 0755), "open"));
					LoopFile::fill(file.get());
					LoopFile::map(file.get(), text);
				}
				unlink(name.c_str());
				Burner::spin(text, 3'000 * (i % 20) + 1);
			});
			const uint32_t last = recording.described(0).numbers;

			for (uint32_t number = last; number > 7 && number + 40 > last; number--) {
				const uint32_t flags =
					i % 2 ? PROFIL_DESCRIBE_RELEASE : PROFIL_DESCRIBE_FORGET;
				profil_describe about = {};

				about.size = sizeof(about);
				about.flags = flags;
				about.profile = recording.profile();
				about.number = number;
				need_that(one_of(recording.device().call(PROFIL_DESCRIBE, &about),
						 {0, ENOENT, EINVAL}),
					  "a number is known, was forgotten, or goes with its owner");
			}
			child.reap();
		}
		recording.device().stop(recording.profile());
	}
	CHECK(soon([&] { return umount(at.c_str()) == 0; }));
	rmdir(at.c_str());
}
