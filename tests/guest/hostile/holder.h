// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/holder.h  Processes that profile themselves and keep the resources,
 * under several user IDs that belong to one user.
 */
#pragma once

#include "tests/guest/hostile/support.h"

#include <sched.h>
#include <sys/resource.h>

namespace guest::hostile {

/** The attacker's first subordinate ID, as newuidmap(1) would map it into a user namespace. */
constexpr id_t first_subordinate = 100'000;

/** A process with one of the attacker's IDs: 0 is the attacker, 1 and above a subordinate. */
class Subordinate {
public:
	Subordinate(id_t number, const std::function<void()> &run)
		: child_(as_user(attacker, [=, this] {
			  need(unshare(CLONE_NEWUSER), "CLONE_NEWUSER");
			  unshared_.open();
			  mapped_.wait();
			  need(setresuid(number, number, number), "setresuid");
			  run();
		  }))
	{
		unshared_.wait();
		write_file("/proc/" + std::to_string(child_.pid()) + "/uid_map",
			   "0 " + std::to_string(attacker) + " 1\n1 " + std::to_string(first_subordinate) +
				   " 100\n");
		mapped_.open();
	}

	pid_t pid() const { return child_.pid(); }

private:
	const Gate unshared_, mapped_;
	Child child_;
};

/** A self profile: the error of its start, or 0, and the number of its pinned pages. */
struct Held {
	int error;
	size_t pinned;
};

/** Start a self profile that counts in all this memory, and wait until each page has a tick. */
inline Held hold_pages(const Device &device, const Memory &counters)
{
	const Burner burner;
	std::vector<profil_region> regions;

	for (size_t i = 0; i < counters.bytes() / page; i++) {
		const uintptr_t pc = counted_text + 64 * i;

		regions.push_back(one_counter(pc, pc + CODE_LOOP_RETURN, counters.at(i * page), 8));
	}
	auto how = describe(regions, period_nobody);
	if (const int error = device.call(PROFIL_START, &how))
		return {error, 0};
	for (size_t i = 0; i < regions.size(); i++)
		burner.burn_until(regions[i].low,
				  [&] { return counter<uint64_t>(counters, i * page / 8) > 0; });
	return {0, device.status().pinned / page};
}

/** Keeps a self profile, which has had a tick in each of its pages, until this is destroyed. */
class Holder {
public:
	/** A process of a user, or of a subordinate ID of the attacker. */
	static Holder of_user(id_t user, size_t pages) { return Holder(user, 0, pages); }
	static Holder subordinate(id_t number, size_t pages) { return Holder(attacker, number, pages); }

	/** 0, or the error of the profile's start. */
	int error() const { return held()->error; }
	/** The number of the profile's pinned pages. */
	size_t pinned() const { return held()->pinned; }

private:
	Held *held() const { return shared_->at<Held>(); }

	Holder(id_t user, id_t number, size_t pages)
		: shared_(std::make_unique<Memory>(page, MAP_SHARED)), started_(std::make_unique<Gate>())
	{
		const auto hold = [held = held(), &started = *started_, pages] {
			const Device device;
			const Memory counters(pages * page);

			*held = hold_pages(device, counters);
			started.open();
			pause();
		};
		if (number)
			subordinate_ = std::make_unique<Subordinate>(number, hold);
		else
			child_ = std::make_unique<Child>(as_user(user, hold));
		started_->wait();
	}

	std::unique_ptr<Memory> shared_;
	std::unique_ptr<Gate> started_;
	std::unique_ptr<Child> child_;
	std::unique_ptr<Subordinate> subordinate_;
};

} // namespace guest::hostile
