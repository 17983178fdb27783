// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/support/guest.h"
#include "tests/support/catch.h"
#include "tests/support/debug_kernel.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <linux/profil.h>
#include <sched.h>
#include <sstream>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <time.h>
#include <unistd.h>

namespace guest {

Memory::Memory(void *at, size_t bytes, int protection, int flags, int fd)
	: start_(mmap(at, bytes, protection, flags, fd, 0)), bytes_(bytes)
{
	if (start_ == MAP_FAILED)
		throw std::system_error(errno, std::generic_category(), "mmap");
}

Memory::Memory(size_t bytes, int flags, int fd)
	: Memory(nullptr, bytes, PROT_READ | PROT_WRITE,
		 flags | (fd < 0 ? MAP_ANONYMOUS : 0) | (flags & MAP_SHARED ? 0 : MAP_PRIVATE), fd)
{
}

Memory::~Memory()
{
	if (start_)
		munmap(start_, bytes_);
}

static std::pair<Fd, Fd> make_pipe()
{
	int ends[2];

	need(pipe2(ends, O_CLOEXEC), "pipe2");
	return {Fd(ends[0]), Fd(ends[1])};
}

/** Returns '=' and the function's result, or '!' and the error. */
static std::string outcome(const std::function<std::string()> &run)
{
	try {
		return '=' + run();
	} catch (const std::exception &problem) {
		return std::string("!in a child: ") + problem.what();
	}
}

ReportingChild::ReportingChild(const std::function<std::string()> &run, std::pair<Fd, Fd> pipe)
	: from_(std::move(pipe.first)), child_([&run, &pipe] {
		  const auto text = outcome(run);

		  need_that(write(pipe.second.get(), text.data(), text.size()) ==
				    static_cast<ssize_t>(text.size()),
			    "the report reaches the parent");
	  })
{
}

ReportingChild::ReportingChild(const std::function<std::string()> &run) : ReportingChild(run, make_pipe()) {}

std::string ReportingChild::report()
{
	std::string text;
	char part[4096];
	ssize_t n;

	while ((n = read(from_.get(), part, sizeof(part))) > 0)
		text.append(part, n);
	child_.reap();
	need_that(!text.empty(), "the child lives long enough to report");
	if (text[0] == '!')
		throw std::runtime_error(text.substr(1));
	return text.substr(1);
}

void become_nobody()
{
	constexpr id_t nobody = 65534;

	need(setgroups(0, nullptr), "setgroups");
	need(setresgid(nobody, nobody, nobody), "setresgid");
	need(setresuid(nobody, nobody, nobody), "setresuid");
	need(prctl(PR_SET_DUMPABLE, 1), "PR_SET_DUMPABLE");
	need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
}

void write_file(const std::string &path, const std::string &value)
{
	const Fd file(need(open(path.c_str(), O_WRONLY | O_CLOEXEC), path.c_str()));

	need(static_cast<int>(write(file.get(), value.data(), value.size())), path.c_str());
}

/** The setting that a file holds; a file that lists all choices has it in brackets. */
static std::string chosen(const std::string &list)
{
	const size_t from = list.find('[') + 1; /* npos + 1 is 0 */

	return from ? list.substr(from, list.find(']') - from) : list;
}

Setting::Setting(std::string path, const std::string &value)
	: path_(std::move(path)), before_(chosen(read_file(path_)))
{
	write_file(path_, value);
}

Setting::~Setting()
{
	try {
		write_file(path_, before_);
	} catch (const std::exception &problem) {
		dprintf(2, "cannot put %s back: %s\n", path_.c_str(), problem.what());
	}
}

uint64_t named_number(const std::string &path, const std::string &wanted)
{
	std::istringstream file(read_file(path));
	std::string line, name;
	uint64_t number;

	while (std::getline(file, line)) {
		std::istringstream words(line);
		if (words >> name >> number && name == wanted)
			return number;
	}
	throw std::runtime_error("no " + wanted + " in " + path);
}

uint64_t module_ticks(const std::string &name)
{
	return named_number("/sys/class/misc/profil/ticks", name);
}

uint64_t switches_of(pid_t pid)
{
	const std::string status = "/proc/" + std::to_string(pid) + "/status";
	return named_number(status, "voluntary_ctxt_switches:") +
	       named_number(status, "nonvoluntary_ctxt_switches:");
}

uint64_t locked_bytes(pid_t pid)
{
	const std::string status = "/proc/" + (pid ? std::to_string(pid) : "self") + "/status";

	return (named_number(status, "VmLck:") + named_number(status, "VmPin:")) * 1024;
}

int64_t pinned_in_kernel()
{
	/* Fold each CPU's part of these counts into the totals. */
	write_file("/proc/sys/vm/stat_refresh", "1");
	return static_cast<int64_t>(named_number("/proc/vmstat", "nr_foll_pin_acquired") -
				    named_number("/proc/vmstat", "nr_foll_pin_released"));
}

uint64_t thread_ns()
{
	timespec now;

	need(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), "clock_gettime");
	return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void await_no_clock()
{
	need_that(soon([] { return module_stat("clock_period") == 0; }), "no clock ticks");
}

unsigned slowness()
{
	return support::on_debug_kernel() ? 12 : 1;
}

std::string module_file()
{
	const char *file = getenv("PROFIL_MODULE");

	need_that(file != nullptr, "PROFIL_MODULE names the module that this guest was booted with");
	return file;
}

int load_module(const std::string &parameters)
{
	const auto path = module_file();
	const Fd file(need(open(path.c_str(), O_RDONLY | O_CLOEXEC), path.c_str()));

	const char *booted = getenv("PROFIL_PARAMETERS");
	const std::string all = std::string("dyndbg=+p ") + (booted ? booted : "") + " " + parameters;

	return syscall(SYS_finit_module, file.get(), all.c_str(), 0) ? errno : 0;
}

int unload_module()
{
	return syscall(SYS_delete_module, "profil", O_NONBLOCK) ? errno : 0;
}

SetUidProgram::SetUidProgram(const std::string &name)
{
	char pattern[] = "/tmp/profil-XXXXXX";

	need_that(mkdtemp(pattern) != nullptr, "mkdtemp");
	directory_ = pattern;
	std::filesystem::copy_file(program(name), path());
	need(chmod(directory_.c_str(), 0755), "chmod");
	need(chmod(path().c_str(), 04755), "chmod");
}

SetUidProgram::~SetUidProgram()
{
	std::filesystem::remove_all(directory_);
}

/** The total in the module's file "ticks", minus the causes listed there. */
static int64_t unexplained_ticks()
{
	std::istringstream lines(read_file("/sys/class/misc/profil/ticks"));
	std::string name;
	int64_t number, left = 0;

	while (lines >> name >> number)
		left += name == "ticks" ? number : -number;
	return left;
}

AtRest::AtRest()
	: profiles_(module_stat("profiles")), images_(module_stat("images")),
	  pages_(module_stat("pinned_pages")), locked_(locked_bytes()), pinned_(pinned_in_kernel()),
	  unexplained_(unexplained_ticks())
{
}

/* The module ends a profile whose gate is off only at the process's next command or tick. */
static void end_what_is_off()
{
	const Fd device(open("/dev/profil", O_RDONLY | O_CLOEXEC));
	profil_status status = {};

	status.size = sizeof status;
	CHECK(ioctl(device.get(), PROFIL_STATUS, &status) == 0);
}

AtRest::~AtRest()
{
	end_what_is_off();
	soon([this] {
		return module_stat("profiles") == profiles_ && module_stat("images") == images_ &&
		       module_stat("pinned_pages") == pages_ && locked_bytes() == locked_ &&
		       pinned_in_kernel() == pinned_;
	});
	CHECK(module_stat("profiles") == profiles_);
	CHECK(module_stat("images") == images_);
	CHECK(module_stat("pinned_pages") == pages_);
	CHECK(locked_bytes() == locked_);
	CHECK(pinned_in_kernel() == pinned_);
	CHECK(unexplained_ticks() == unexplained_);
}

bool kernel_knows_arrivals()
{
	return std::filesystem::exists("/proc/self/schedstat");
}

/*
 * Since Linux 6.12, fair tasks that have waited for one second get a twentieth of the time, ahead
 * of real-time tasks.
 */
static void close_fair_servers()
{
	const std::filesystem::path servers = "/sys/kernel/debug/sched/fair_server";

	if (!std::filesystem::exists(servers))
		return;
	for (const auto &cpu : std::filesystem::directory_iterator(servers))
		write_file(cpu.path() / "runtime", "0");
}

void run_before_others()
{
	const sched_param low = {.sched_priority = 1};

	close_fair_servers();
	need(sched_setscheduler(0, SCHED_FIFO, &low), "sched_setscheduler");
}

void run_before_my_children()
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	need(sched_setaffinity(0, sizeof(first), &first), "sched_setaffinity");
	run_before_others();
}

} // namespace guest
