// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/http/task_pool.h  The threads that serve the connections of an HTTP server. */
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
 * Like cpp-httplib's own pool, but bounded: when as many connections wait as there
 * are threads, the next one is not accepted and stays in the kernel's backlog.
 */
class TaskPool : public httplib::TaskQueue {
public:
	explicit TaskPool(size_t threads);
	TaskPool(const TaskPool &) = delete;
	TaskPool &operator=(const TaskPool &) = delete;
	~TaskPool() override { TaskPool::stop(); }

	/** Blocks until there is room. */
	void enqueue(std::function<void()> task) override;
	/** Returns when all accepted tasks have ended. */
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
