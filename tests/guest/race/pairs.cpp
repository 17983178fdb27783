// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/pairs.cpp  Every pair of actions on a recording, one on each of two CPUs
 * at the same time.
 *
 * Each pair is a section: -c 'add, stop' runs only that pair.
 */
#include "tests/guest/race/actions.h"
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/held_probes.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <new>
#include <sys/stat.h>
#include <thread>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** One run of a pair of actions. */
struct Round {
	const Action *action[2];
	Kind kind;
	bool as_nobody, apart;
	uint64_t chance;

	bool in_target(unsigned number) const { return action[number]->group == by_target; }
	/** True if an action may end the process that runs action @p number. */
	bool may_vanish(unsigned number) const
	{
		const unsigned end = in_target(number) ? ends_target : ends_owner;

		return (action[number]->does | (apart ? 0 : action[!number]->does)) & end;
	}
	bool allows(unsigned number, int error) const
	{
		const Action &one = *action[number];
		const unsigned reasons =
			action[!number]->does | (kind == of_everybody ? meets : 0U) | whatever;

		if (error == one.usual[kind] || (error == EBADF && reasons & closes))
			return true;
		return std::ranges::any_of(one.errors, [&](const auto &known) {
			return known.second == error && known.first & reasons;
		});
	}

	void run(Side side, unsigned number) const
	{
		side.number = number;
		stay_on(static_cast<int>(number));
		for (side.shared.waiting++; side.shared.waiting < 2 || !side.shared.profile;)
			;
		if (chance % 2 == number)
			Burner::spin(text, 1ULL << chance / 2 % 16);
		action[number]->run(side);
		side.shared.ended[number] = true;
	}
	/**
	 * Run the pair's actions of the target, or the pair's other actions; if there are two, run
	 * the second one in a thread of its own.
	 */
	void run_those(const Side &side, bool of_the_target) const
	{
		std::thread second;

		if (in_target(1) == of_the_target && in_target(0) == of_the_target)
			second = std::thread([&] { run(side, 1); });
		if (in_target(0) == of_the_target || in_target(1) == of_the_target)
			run(side, in_target(0) != of_the_target);
		if (second.joinable())
			second.join();
	}
	void begin(const Side &side) const
	{
		const Fd own = proof_of(getpid());
		const uint32_t flags[] = {PROFIL_FOLLOW, PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES,
					  PROFIL_RECORD_EVERYBODY | PROFIL_RECORD_PROCESSES |
						  PROFIL_RECORD_THREADS | PROFIL_RECORD_KERNEL};
		const int proofs[] = {own.get(), side.proof, side.proof_of_everybody};

		need_that(side.record(flags[kind], proofs[kind], 4) == 0, "the recording begins");
	}
	/** Run the owner, in a child of its own if the other side runs apart. */
	void own(Side side, pid_t target) const
	{
		/* No round takes this long. */
		alarm(100);
		if (as_nobody)
			become_nobody();
		const Device device;
		const Fd proof = proof_of(target), everybody = open_proof({.pid = -1, .cpu = 0});
		const Memory tables(10 * table_bytes);
		side.device = device.fd();
		side.proof = proof.get();
		side.proof_of_everybody = everybody.get();
		side.tables = tables.address();
		if (!apart) {
			begin(side);
			run_those(side, false);
			/* Leave time for the target's action. */
			usleep(in_target(0) || in_target(1) ? chance % 4000 : 0);
			return;
		}
		const unsigned ending = action[0]->does & ends_owner ? 0 : 1;
		Child owner([&] {
			begin(side);
			run(side, ending);
		});
		need_that(soon([&] { return side.shared.profile != 0; }), "the recording begins");
		side.apart = true;
		run(side, !ending);
		owner.join();
	}
};

class Pairs : public AtRest {
public:
	Pairs()
	{
		need(chmod(program_.path().c_str(), 0755), "chmod");
		burner_.plant_loop(text);
	}

protected:
	/** Run all pairs of an action from any of these groups with one from the last group. */
	static void each(std::initializer_list<Action::Group> groups,
			 const std::function<void(const Action &, const Action &)> &run)
	{
		for (const Action *one = std::begin(actions); one != std::end(actions); one++)
			for (const Action *two = one; two != std::end(actions); two++)
				if (std::ranges::find(groups, one->group) != groups.end() &&
				    two->group == *(groups.end() - 1))
					run(*one, *two);
	}
	void run_sections(std::initializer_list<Action::Group> groups)
	{
		each(groups, [&](const Action &one, const Action &two) {
			DYNAMIC_SECTION(one.name << ", " << two.name)
			{
				run(one, two);
			}
		});
	}

	void run(const Action &one, const Action &two)
	{
		const unsigned kinds = (one.does | two.does) & root ? 3 : 5;
		const bool ends = (one.does ^ two.does) & ends_owner && one.group != by_target &&
				  two.group != by_target;

		for (unsigned i = 0; i < rounds(2 * kinds); i++) {
			const bool turn = i / kinds % 2;

			run_once({.action = {turn ? &two : &one, turn ? &one : &two},
				  .kind = Kind(i % kinds % 3),
				  .as_nobody = i % kinds > 2,
				  .apart = ends && i / 2 % 2,
				  .chance = i * 0x9e3779b97f4a7c15 >> 20});
		}
		INFO(one.name << ", " << two.name);
		CHECK(soon([this] {
			return references() == references_ && module_stat("profiles") == profiles() &&
			       module_stat("images") == images() && module_stat("pinned_pages") == pages();
		}));
	}

private:
	static std::string references() { return read_file("/sys/module/profil/refcnt"); }
	void run_once(const Round &round)
	{
		Shared &shared = *new (memory_.at()) Shared{};
		const Side side{shared, program_.path(), guarded_.path()};
		const Gate ready;
		const Child target([&] {
			become_nobody();
			ready.open();
			round.run_those(side, true);
			for (;; usleep(300))
				Burner::spin(text, 10'000);
		});
		ready.wait();
		Child owner([&] { round.own(side, target.pid()); });

		/* The target is killed last, when nothing follows it any more. */
		CHECK(owner.reap() == 0);
		for (const unsigned number : {0U, 1U}) {
			INFO(round.action[number]->name << " on CPU " << number << ", recording "
							<< round.kind << (round.as_nobody ? " of nobody" : "")
							<< (round.apart ? ", apart" : ""));
			if (!round.may_vanish(number) && !soon([&] { return shared.ended[number].load(); }))
				FAIL_CHECK("it does not return");
			for (int error = 0; error < 256; error++)
				if (shared.seen[number][error] && !round.allows(number, error))
					FAIL_CHECK("error " << error);
		}
		/* A process may have been killed between switching CPU 1 off and on. */
		write_file(switch_of_cpu1, "1");
		if (access("/sys/module/profil/refcnt", F_OK))
			need_that(load_module() == 0, "the module is loaded again");
	}

	const std::string references_ = references();
	const Setting paranoid_{"/proc/sys/kernel/perf_event_paranoid", "1"};
	const SetUidProgram guarded_{"cli_burn_static"}, program_{"cli_burn_static"};
	const Memory memory_{4096, MAP_SHARED};
	const Burner burner_;
};

} // namespace

TEST_CASE_METHOD(Pairs, "two commands on a recording at once leave nothing behind", "[race][record][pairs]")
{
	run_sections({command});
}

TEST_CASE_METHOD(Pairs,
		 "commands on a recording while its target forks, executes or ends leave nothing behind",
		 "[race][record][pairs]")
{
	run_sections({command, by_target});
}

TEST_CASE_METHOD(Pairs,
		 "commands on a recording while its file, its owner or a CPU goes away leave nothing behind",
		 "[race][record][pairs]")
{
	run_sections({command, by_target, other});
}

TEST_CASE_METHOD(Pairs, "the module cannot be unloaded while anything happens to a recording",
		 "[race][record][pairs]")
{
	/* Otherwise each load and unload would patch the kernel's text. */
	const HeldProbes probes;

	each({command, by_target, other, of_module},
	     [&](const Action &one, const Action &two) { run(one, two); });
}
