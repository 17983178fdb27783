// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/task_pool.h  Threads for the connections of an HTTP server. */
#pragma once

#include "cli/http/httplib.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cli {

/**
 * As cpp-httplib's own, but bounded: when as many connections wait as there are
 * threads, the next one is not accepted, and the kernel's backlog holds it.
 */
class TaskPool : public httplib::TaskQueue {
public:
	explicit TaskPool(size_t threads);
	TaskPool(const TaskPool &) = delete;
	TaskPool &operator=(const TaskPool &) = delete;
	~TaskPool() override { TaskPool::stop(); }

	/** Waits for room. */
	void enqueue(std::function<void()> task) override;
	/** Ends when every task that was taken has. */
	void shutdown() override { stop(); }

private:
	void stop();
	void run();

	std::mutex mutex_; /**< guards tasks_ and closing_ */
	std::condition_variable changed_;
	std::deque<std::function<void()>> tasks_;
	bool closing_ = false;
	std::vector<std::thread> threads_;
};

} // namespace cli
