// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/fault_injection.cpp  Each allocation and each copy that can fail does so
 * once: a failed command reports the error, changes nothing and leaves nothing behind.
 *
 * Tagged [fault-injection]: scripts/guest-tests runs these tests only where the kernel was
 * configured for it.
 */
#include "tests/guest/uapi/fault_injection.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace guest;

namespace {

pid_t ring_worker()
{
	for (const auto &task : std::filesystem::directory_iterator("/proc/self/task"))
		if (read_file(task.path() / "comm").starts_with("iou-wrk"))
			return std::stoi(task.path().filename());
	throw std::runtime_error("the ring has no worker");
}

/** A way in which commands reach the module, and the task that runs them. */
class Way {
public:
	enum Kind { by_ioctl, by_ring, by_worker };

	Way(Kind kind, const Device &device)
	{
		profil_info info{};

		if (kind != by_ioctl)
			ring_ = std::make_unique<Ring>(0, kind == by_worker ? IOSQE_ASYNC : 0);
		/* Failures are injected into the worker of the first command. */
		if (kind == by_worker)
			ring_->keep_to_one_worker();

		info.size = sizeof(info);
		need_that(call(device, PROFIL_INFO, &info, sizeof(info)) == 0, "the first command succeeds");
		injector_ = std::make_unique<Injector>(kind == by_worker ? ring_worker() : 0);
	}

	int call(const Device &device, unsigned command, void *structure, uint32_t size) const
	{
		return ring_ ? ring_->call(device, command, structure, size)
			     : device.call(command, structure);
	}
	const Injector &injector() const { return *injector_; }

private:
	std::unique_ptr<Ring> ring_;
	std::unique_ptr<Injector> injector_;
};

template <typename T> T sized()
{
	T structure{};

	structure.size = sizeof(structure);
	return structure;
}

void forget(std::initializer_list<const Memory *> all)
{
	for (const Memory *memory : all)
		need(madvise(memory->at(), memory->bytes(), MADV_DONTNEED), "madvise");
}

void forget(const Description &of)
{
	forget({&of.counters, &of.others, &of.overflow});
}

/** Take a node from the self profile's pool, which the fork then refills. */
void take_from_pool()
{
	Child([] {}).join();
}

/**
 * Sweep a command: prepare() before each try, check(error) after it.  At least @p least calls fail,
 * but through a ring perhaps only one: the ring hands the command to a worker, in which no call
 * fails.
 */
template <typename T>
void sweep_command(const Device &device, unsigned command, const std::function<T()> &prepare,
		   const std::vector<int> &errors, const std::function<void(int error, const T &)> &check,
		   unsigned least = 1)
{
	const auto kind = GENERATE(Way::by_ioctl, Way::by_ring, Way::by_worker);
	const Way way(kind, device);
	const Faults faults;

	const auto failures = sweep([&](unsigned n) {
		T structure = prepare();

		way.injector().arm(n);
		const int error = way.call(device, command, &structure, sizeof(structure));
		const bool fired = way.injector().fired();
		way.injector().disarm();
		INFO("failure " << n << " on way " << kind << ": " << strerror(error));
		if (error)
			CHECK(fired);
		/* A ring may have no memory for the worker that would run the command. */
		if (error && (kind == Way::by_ioctl || error != ENOMEM))
			CHECK(std::find(errors.begin(), errors.end(), error) != errors.end());
		check(error, structure);
		return fired;
	});
	CHECK(failures >= (kind == Way::by_ring ? 1 : least));
}

profil_status whole_status(const Device &device, uint32_t profile = 0)
{
	return device.status(profile);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a first start that fails leaves no profile", "[fault-injection]")
{
	const Device device;
	const Description description;
	const auto before = module_stat("pinned_pages");

	sweep_command<profil_start>(
		device, PROFIL_START,
		[&] {
			forget(description);
			return description.how();
		},
		{ENOMEM, EFAULT},
		[&](int error, const profil_start &) {
			const auto status = whole_status(device);

			CHECK(status.state == (error ? PROFIL_STATE_NONE : PROFIL_STATE_RUNNING));
			device.stop();
			CHECK(soon([&] { return module_stat("pinned_pages") == before; }));
		});
}

TEST_CASE_METHOD(AtRest, "a start that fails leaves the previous self profile", "[fault-injection]")
{
	const Device device;
	const Description description, older;
	constexpr uint64_t older_period = 2'000'000;

	sweep_command<profil_start>(
		device, PROFIL_START,
		[&] {
			device.start(older.how(older_period));
			take_from_pool();
			forget(description);
			return description.how();
		},
		{ENOMEM, EFAULT},
		[&](int error, const profil_start &) {
			const auto status = whole_status(device);

			/*
			 * If the last copy, that of the output, fails, both profiles are gone
			 * (device.c).
			 */
			const bool too_late = error == EFAULT && status.state == PROFIL_STATE_NONE;
			if (!too_late) {
				CHECK(status.state == PROFIL_STATE_RUNNING);
				CHECK(status.period == (error ? older_period : 1'000'000));
			}
			device.stop();
		});
}

TEST_CASE_METHOD(AtRest, "a stop that fails can be repeated", "[fault-injection]")
{
	const Device device;
	const Description description;

	sweep_command<profil_stop>(
		device, PROFIL_STOP,
		[&] {
			device.start(description.how());
			return sized<profil_stop>();
		},
		{EFAULT},
		[&](int error, const profil_stop &) {
			const auto state = whole_status(device).state;

			CHECK((state == PROFIL_STATE_NONE || error));
			device.stop();
			CHECK(whole_status(device).state == PROFIL_STATE_NONE);
		});
}

TEST_CASE_METHOD(AtRest, "a status that fails turns nothing off", "[fault-injection]")
{
	const Device device;
	const Description description;
	const bool pages_gone = GENERATE(false, true);

	CAPTURE(pages_gone);
	device.start(description.how());
	sweep_command<profil_status>(
		device, PROFIL_STATUS,
		[&] {
			if (pages_gone)
				forget(description);
			return sized<profil_status>();
		},
		{ENOMEM, EFAULT},
		[&](int error, const profil_status &status) {
			if (!error)
				CHECK(status.ticks == causes(status));
			CHECK(whole_status(device).state == PROFIL_STATE_RUNNING);
		});
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a PROFIL_INFO that fails returns an error", "[fault-injection]")
{
	const Device device;

	sweep_command<profil_info>(device, PROFIL_INFO, sized<profil_info>, {EFAULT},
				   [](int error, const profil_info &info) {
					   if (!error)
						   CHECK(info.abi == PROFIL_ABI);
				   });
}

TEST_CASE_METHOD(AtRest, "a PROFIL_STOP_ALL that fails stops nothing", "[fault-injection]")
{
	const Device device;
	const Description description;

	sweep_command<profil_stop_all>(
		device, PROFIL_STOP_ALL,
		[&] {
			device.start(description.how());
			return sized<profil_stop_all>();
		},
		{EFAULT},
		[&](int error, const profil_stop_all &) {
			CHECK(whole_status(device).state ==
			      (error ? PROFIL_STATE_RUNNING : PROFIL_STATE_NONE));
		});
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a recording that does not begin leaves nothing behind", "[fault-injection][record]")
{
	const uint32_t flags =
		GENERATE(as<uint32_t>(), PROFIL_FOLLOW, PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES,
			 PROFIL_THREAD, PROFIL_RECORD_EVERYBODY);
	const Child target([] { pause(); });
	const Fd proof = flags & PROFIL_RECORD_EVERYBODY ? open_proof({.pid = -1, .cpu = sched_getcpu()})
							 : proof_of(target.pid());
	Recording recording(256);
	const auto before = module_stat("pinned_pages");

	CAPTURE(flags);
	sweep_command<profil_record>(
		recording.device(), PROFIL_RECORD,
		[&] {
			profil_record record = recording.request(flags);

			record.proof = proof.get();
			forget({&recording.table()});
			return record;
		},
		{ENOMEM, EFAULT},
		[&](int error, const profil_record &record) {
			if (error) {
				CHECK(module_stat("images") == images());
				CHECK(soon([&] { return module_stat("profiles") == profiles(); }));
			} else {
				recording.device().stop(record.profile);
			}
			CHECK(soon([&] { return module_stat("pinned_pages") == before; }));
		},
		5);
}

TEST_CASE_METHOD(AtRest, "an open that fails leaves nothing behind", "[fault-injection]")
{
	const Faults faults(Faults::Of::module);
	const Injector injector;

	const auto failures = sweep([&](unsigned n) {
		injector.arm(n);
		const Fd fd(open("/dev/profil", O_RDWR | O_CLOEXEC));
		const int error = fd.get() < 0 ? errno : 0;
		const bool fired = injector.fired();

		injector.disarm();
		CHECK((error ? error == ENOMEM && fired : true));
		return fired;
	});
	CHECK(failures >= 2);
}

TEST_CASE_METHOD(AtRest, "a read of fdinfo that fails returns an error", "[fault-injection][fdinfo]")
{
	const Faults faults;
	const Injector injector;
	const Child target([] { pause(); });
	Recording recording(256);
	const std::string path = "/proc/self/fdinfo/" + std::to_string(recording.device().fd());

	recording.begin(target.pid());
	const auto failures = sweep([&](unsigned n) {
		const Fd info(open(path.c_str(), O_RDONLY));
		std::array<char, 4096> text{};

		need(info.get(), "open fdinfo");
		injector.arm(n);
		const auto bytes = read(info.get(), text.data(), text.size() - 1);
		const int error = bytes < 0 ? errno : 0;
		const bool fired = injector.fired();
		injector.disarm();
		if (error)
			CHECK((fired && (error == EFAULT || error == ENOMEM)));
		else
			CHECK(std::string(text.data()).find("processes:\t1\n") != std::string::npos);
		return fired;
	});
	CHECK(failures > 0);
}
