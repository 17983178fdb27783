// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/waiting_ticks.cpp  Ticks that cannot be counted at once: a process that keeps
 * them waiting takes nothing from others.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/cpu.h"

#include <catch2/catch.hpp>

#include <memory>
#include <sys/uio.h>

using namespace guest;

namespace {

constexpr int shared_cpu = 1;

/** A process of nobody's that is in one system call, which uses CPU time only while it is read. */
class Writer {
public:
	Writer() : pipe_(make_pipe()), child_([this] { write_all(); }) { read(1 << 20); }

	void read(size_t bytes) const
	{
		while (bytes > 0) {
			const ssize_t got =
				::read(pipe_.first.get(), buffer_.at(), std::min(bytes, buffer_.bytes()));

			need(static_cast<int>(got), "read");
			bytes -= static_cast<size_t>(got);
		}
	}
	pid_t pid() const { return child_.pid(); }

private:
	void write_all() const
	{
		iovec part = {buffer_.at(), buffer_.bytes()};
		const std::vector<iovec> parts(1024, part);

		become_nobody();
		stay_on(shared_cpu);
		need(static_cast<int>(
			     writev(pipe_.second.get(), parts.data(), static_cast<int>(parts.size()))),
		     "writev");
	}
	static std::pair<Fd, Fd> make_pipe()
	{
		int ends[2];

		need(pipe2(ends, O_CLOEXEC), "pipe2");
		return {Fd(ends[0]), Fd(ends[1])};
	}

	const Memory buffer_{1 << 20};
	const std::pair<Fd, Fd> pipe_;
	const Child child_;
};

} // namespace

TEST_CASE_METHOD(AtRest, "processes that stay in a system call keep nobody's ticks, nor the module",
		 "[hostile][record]")
{
	const std::string refcnt = "/sys/module/profil/refcnt";
	const std::string references = read_file(refcnt);
	const std::vector<Writer> writers(2);
	auto recording = std::make_unique<Recording>(), other = std::make_unique<Recording>();

	for (const auto &one : {recording.get(), other.get()})
		REQUIRE(one->begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	for (const Writer &writer : writers)
		writer.read(32 << 20);
	Child victim([] {
		const Burner burner;

		stay_on(shared_cpu);
		burner.plant_loop(Burner::usual);
		Burner::spin(Burner::usual, 100'000'000);
	});
	const pid_t pid = victim.pid();
	victim.join();
	for (const auto &one : {recording.get(), other.get()}) {
		one->finish();
		CHECK(soon([&] {
			const profil_status status = one->status();

			return status.counted + status.kernel == one->sum();
		}));
	}
	const auto of = [&](pid_t process, uint32_t kind) {
		return recording->sum(
			[&](const Row &row) { return row.owner.pid == process && row.text.kind == kind; });
	};
	CHECK(of(pid, PROFIL_KIND_MEMORY) > 20);
	CHECK(of(pid, PROFIL_KIND_UNKNOWN) == 0);
	for (const Writer &writer : writers)
		CHECK(of(writer.pid(), PROFIL_KIND_KERNEL) > 20);
	recording.reset();
	other.reset();
	CHECK(soon([&] { return read_file(refcnt) == references; }));
}
