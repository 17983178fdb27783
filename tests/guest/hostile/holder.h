// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/holder.h  Processes that profile themselves and hold on to the
 * resources, under several user IDs that belong to one user.
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

/** Starts a self profile with counters in some pages, and keeps it until this ends. */
class Holder {
public:
	/** As a user, or with a subordinate ID of the attacker. */
	static Holder of_user(id_t user, size_t pages) { return Holder(user, 0, pages); }
	static Holder subordinate(id_t number, size_t pages) { return Holder(attacker, number, pages); }

	/** 0, or the error of its start. */
	int error() const { return *shared_->at<int>(); }

private:
	Holder(id_t user, id_t number, size_t pages)
		: shared_(std::make_unique<Memory>(page, MAP_SHARED)), started_(std::make_unique<Gate>())
	{
		const auto hold = [result = shared_->at<int>(), &started = *started_, pages] {
			const Device device;
			const Memory counters(pages * page);
			auto region = region_on(counters.at());

			region.bytes = pages * page;
			auto how = describe(region, period_nobody);
			*result = device.call(PROFIL_START, &how);
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
