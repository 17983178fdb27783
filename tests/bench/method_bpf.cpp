// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_bpf.cpp  A BPF program on the event of the module's clock.
 *
 * bpf: on each CPU, a program on the clock's event or on page faults, as in the profilers of bcc
 * and bpftrace; it checks which process the tick is in.  bpf-kernel: on each CPU, a program that
 * counts kernel stacks of depth 1.
 */
#include "tests/bench/bench.h"
#include "tests/bench/count.skel.h"
#include "tests/bench/method.h"
#include "tests/bench/stack.skel.h"

#include <linux/perf_event.h>
#include <numeric>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace bench {

namespace {

/** Opens an event on a CPU, with the attributes that the module gives its clock or its events. */
int open_event(const Wish &wish, int cpu)
{
	perf_event_attr attr{};

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = wish.event;
	attr.size = sizeof attr;
	attr.sample_period = wish.period;
	if (is_event(wish)) {
		attr.exclude_kernel = 1;
	} else {
		attr.pinned = 1;
		attr.exclude_idle = 1;
		attr.exclude_hv = 1;
	}
	return static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

class Bpf : public Method {
public:
	explicit Bpf(const Wish &wish)
	{
		if (!skeleton)
			die("BPF skeleton");
		skeleton->rodata->tgid = static_cast<std::uint32_t>(getpid());
		skeleton->rodata->low = text_low();
		if (count_bpf::load(skeleton))
			die("BPF load");
		const int cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
		for (int cpu = 0; cpu < cpus; cpu++) {
			const int event = open_event(wish, cpu);
			bpf_link *link =
				event < 0 ? nullptr
					  : bpf_program__attach_perf_event(skeleton->progs.count, event);

			if (!link)
				die("BPF attach");
			links.push_back(link);
		}
	}
	~Bpf() override
	{
		detach();
		count_bpf::destroy(skeleton);
	}
	std::uint64_t stop() override
	{
		detach();
		const auto &all = skeleton->bss->counters;
		return std::accumulate(std::begin(all), std::end(all), std::uint64_t{0});
	}
	std::uint64_t at(std::uint64_t pc) const override
	{
		return skeleton->bss->counters[(pc - text_low()) / sizeof *counters];
	}

private:
	void detach()
	{
		for (bpf_link *link : links)
			bpf_link__destroy(link);
		links.clear();
	}

	count_bpf *skeleton = count_bpf::open(nullptr);
	std::vector<bpf_link *> links;
};

class BpfKernel : public Method {
public:
	explicit BpfKernel(const Wish &wish)
	{
		if (!skeleton || stack_bpf::load(skeleton))
			die("BPF load");
		for (int cpu = 0; cpu < static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); cpu++) {
			const int event = open_event(wish, cpu);
			bpf_link *link =
				event < 0 ? nullptr
					  : bpf_program__attach_perf_event(skeleton->progs.count, event);

			if (!link)
				die("BPF attach");
			links.push_back(link);
		}
	}
	~BpfKernel() override
	{
		detach();
		stack_bpf::destroy(skeleton);
	}
	std::uint64_t stop() override
	{
		detach();
		return skeleton->bss->samples;
	}

private:
	void detach()
	{
		for (bpf_link *link : links)
			bpf_link__destroy(link);
		links.clear();
	}

	stack_bpf *skeleton = stack_bpf::open(nullptr);
	std::vector<bpf_link *> links;
};

} // namespace

std::unique_ptr<Method> make_bpf(const std::string &name, const Wish &wish)
{
	if (name == "bpf")
		return std::make_unique<Bpf>(wish);
	if (name == "bpf-kernel")
		return std::make_unique<BpfKernel>(wish);
	return nullptr;
}

} // namespace bench
