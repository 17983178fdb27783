// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/support/faults.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace guest {

namespace {

/** A rough upper bound for the size of the module's code. */
constexpr uint64_t text_bytes = 1 << 18;
/**
 * The size of __vmalloc_node_range() in the debug kernel; the functions after it are vmalloc's,
 * too.
 */
constexpr uint64_t vmalloc_bytes = 0xa20;

uint64_t module_text()
{
	uint64_t lowest = UINT64_MAX;

	for (const auto *section : {".text", ".text.unlikely", ".text.hot", ".exit.text"}) {
		const auto path = std::string("/sys/module/profil/sections/") + section;
		if (std::filesystem::exists(path))
			lowest = std::min<uint64_t>(lowest, std::stoull(read_file(path), nullptr, 16));
	}
	need_that(lowest != UINT64_MAX, "the module's sections are in sysfs");
	return lowest;
}

/** The first function whose name begins with @name. */
uint64_t kernel_text(const std::string &name)
{
	std::istringstream lines(read_file("/proc/kallsyms"));

	for (std::string line; std::getline(lines, line);)
		if (line.find(" t " + name) != std::string::npos ||
		    line.find(" T " + name) != std::string::npos)
			return std::stoull(line, nullptr, 16);
	throw std::runtime_error("the kernel has no " + name);
}

std::string hexadecimal(uint64_t number)
{
	std::ostringstream text;

	text << "0x" << std::hex << number;
	return text.str();
}

} // namespace

Faults::Faults(Of whose)
{
	need_that(std::filesystem::exists("/proc/self/fail-nth"), "this kernel has fault injection");
	const auto set = [this](const std::string &kind, const std::string &name, const std::string &value) {
		settings_.emplace_back("/sys/kernel/debug/" + kind + '/' + name, value);
	};
	for (const std::string kind : {"failslab", "fail_page_alloc", "fail_usercopy"}) {
		/* A stack trace in the log would fail the test. */
		set(kind, "verbose", "0");
		if (whose == Of::module) {
			const auto text = module_text();
			set(kind, "stacktrace-depth", "32");
			set(kind, "require-start", hexadecimal(text));
			set(kind, "require-end", hexadecimal(text + text_bytes));
		} else {
			/*
			 * Do not fail the allocation of a new task's stack: vmalloc would log a
			 * stack trace.
			 */
			const auto vmalloc = kernel_text("__vmalloc_node_range");
			set(kind, "stacktrace-depth", "32");
			set(kind, "reject-start", hexadecimal(vmalloc));
			set(kind, "reject-end", hexadecimal(vmalloc + vmalloc_bytes));
		}
	}
	/* By default only allocations that must not sleep may fail. */
	set("failslab", "ignore-gfp-wait", "N");
	set("fail_page_alloc", "ignore-gfp-wait", "N");
	set("fail_page_alloc", "ignore-gfp-highmem", "N");
	set("fail_page_alloc", "min-order", "0");
}

static std::string path_of(pid_t task)
{
	return task ? "/proc/" + std::to_string(task) + "/fail-nth" : "/proc/thread-self/fail-nth";
}

Injector::Injector(pid_t task) : file_(need(open(path_of(task).c_str(), O_RDWR | O_CLOEXEC), "fail-nth")) {}

void Injector::arm(unsigned n) const
{
	const auto text = std::to_string(n);

	need(static_cast<int>(pwrite(file_.get(), text.data(), text.size(), 0)), "writing fail-nth");
}

void Injector::disarm() const
{
	/* This write's own copy_from_user() may be the call that fails. */
	while (pwrite(file_.get(), "0", 1, 0) < 0 && errno == EFAULT)
		;
}

bool Injector::fired() const
{
	char text[16] = {};

	/* If this read itself fails, it is the chosen call: no earlier call has failed. */
	return pread(file_.get(), text, sizeof(text) - 1, 0) > 0 && text[0] == '0';
}

unsigned sweep(const std::function<bool(unsigned n)> &run)
{
	unsigned n = 1;

	while (run(n)) {
		n++;
		need_that(n < 5000, "a sweep ends");
	}
	return n - 1;
}

void sweep_faster(const std::function<bool(unsigned n)> &run)
{
	for (unsigned n = 1; run(n); n += 1 + n / 8)
		need_that(n < 100'000, "a sweep ends");
}

} // namespace guest
