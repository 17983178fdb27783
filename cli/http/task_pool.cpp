// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/http/task_pool.h"

namespace cli {

TaskPool::TaskPool(size_t threads)
{
	for (size_t i = 0; i < threads; i++)
		threads_.emplace_back([this] { run(); });
}

void TaskPool::enqueue(std::function<void()> task)
{
	std::unique_lock lock(mutex_);

	changed_.wait(lock, [this] { return closing_ || tasks_.size() < threads_.size(); });
	tasks_.push_back(std::move(task));
	changed_.notify_all();
}

void TaskPool::run()
{
	std::unique_lock lock(mutex_);

	for (;;) {
		changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
		if (tasks_.empty())
			return;

		const std::function<void()> task = std::move(tasks_.front());

		tasks_.pop_front();
		changed_.notify_all();
		lock.unlock();
		task();
		lock.lock();
	}
}

void TaskPool::stop()
{
	{
		const std::lock_guard lock(mutex_);

		closing_ = true;
	}
	changed_.notify_all();
	for (std::thread &thread : threads_) {
		if (thread.joinable())
			thread.join();
	}
}

} // namespace cli
