// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/backend.cpp  Recording without the module, by the
 * command. */
#include "tests/host/cli/recorded.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

using support::has;
using support::profil;
using support::TemporaryDirectory;

namespace {

void need_perf_alone()
{
	if (std::filesystem::exists("/dev/profil"))
		support::skip("this machine has /dev/profil");
	support::need_perf();
}

/** Run profil where perf_event_open(2) fails with @p error, as in a container with seccomp. */
support::Output without_perf(int error, const std::string &arguments)
{
	std::array filter = {
		sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
		sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const sock_fprog program = {filter.size(), filter.data()};
	support::Output output;

	/* Only this thread and its children get the filter. */
	std::thread([&] {
		if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
		    !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			output = profil(arguments);
	}).join();
	return output;
}

/* A shell loop that uses enough CPU time for a few hundred samples. */
constexpr char busy[] = "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'";

} // namespace

TEST_CASE("without the module, record and report work with perf events, and say so", "[perf][record]")
{
	need_perf_alone();

	const TemporaryDirectory directory;
	const std::string file = directory / "profile.pb.gz";
	const support::Output recorded = profil("record -F 5000 -o " + file + " -- " + busy);

	CHECK(recorded.status == 0);
	CHECK(has(recorded.text, "profil record: recording with perf events"));
	CHECK(has(recorded.text, "the module is not loaded ('profil status' shows how to load it)"));
	CHECK(has(recorded.text, " that perf has reported: "));
	CHECK(has(recorded.text, " of buffers for perf's samples"));

	const support::Output reported = profil("report --sort command,object " + file);

	CHECK(reported.status == 0);
	CHECK(has(reported.text, "  sh "));
	CHECK(has(reported.text, "100.00 %  ticks that perf has reported"));
	CHECK_FALSE(has(reported.text, "ticks of the clock"));
}

TEST_CASE("--backend forces what samples", "[perf][record]")
{
	need_perf_alone();

	const TemporaryDirectory directory;
	const std::string file = directory / "profile.pb.gz";
	const support::Output perf = profil("record --backend perf -o " + file + " -- " + busy);

	CHECK(perf.status == 0);
	CHECK(has(perf.text, "a sample: --backend says so") + has(perf.text, "events: --backend says so") ==
	      1);
	CHECK(profil("record --backend module -o " + file + " -- true").status == 1);
	CHECK(profil("record --backend other -- true").status == 2);
}

TEST_CASE("options that only the module can serve are refused without it", "[perf][record]")
{
	need_perf_alone();

	const TemporaryDirectory directory;
	const std::string file = directory / "profile.pb.gz";
	const support::Output call = profil("record --kernel-at call -o " + file + " -- true");
	const support::Output fast = profil("record -F 1000000 -o " + file + " -- true");

	CHECK(call.status == 1);
	CHECK(has(call.text, "--kernel-at call needs the module: "));
	CHECK(fast.status == 1);
	CHECK(has(fast.text, "(use a lower -F; kernel.perf_event_max_sample_rate raises the limit)"));
	CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("where perf hides the kernel, a recording without samples does not claim that there was nothing",
	  "[perf][record]")
{
	need_perf_alone();

	const TemporaryDirectory directory;
	const std::string file = directory / "profile.pb.gz";
	/* A task is in the kernel's code when the kernel switches from it. */
	const support::Output switches =
		profil("record --user-only -e context-switches -o " + file + " -- sleep 0.1");

	CHECK(switches.status == 0);
	CHECK(has(switches.text, "no attached process had such an event outside the kernel\n"));
}

TEST_CASE("if a container blocks perf events, the error says so, and how to permit them", "[perf][record]")
{
	need_perf_alone();

	for (const int error : {EPERM, EACCES, ENOSYS}) {
		const support::Output record =
			without_perf(error, "record -o /dev/null -- touch /tmp/profil-ran");
		const support::Output status = without_perf(error, "status");

		CAPTURE(error, record.text, status.text);
		CHECK(record.status == 1);
		CHECK(has(record.text,
			  "and perf events cannot take its place: a container or sandbox does not "
			  "let perf_event_open(2) through (docker run --cap-add PERFMON permits it, or, if "
			  "that is unknown or not enough, --security-opt seccomp=unconfined)"));
		CHECK_FALSE(std::filesystem::exists("/tmp/profil-ran"));
		CHECK(has(status.text, "docker run --cap-add PERFMON"));
		CHECK(has(status.text, "docker run --security-opt seccomp=unconfined"));
	}
}

TEST_CASE("in a container, processes outside it are counted as such, without the names of others",
	  "[perf][record]")
{
	support::need_perf();
	if (geteuid())
		support::skip("only root can make a PID namespace");
	if (support::run("unshare --pid --fork --mount-proc true").status)
		support::skip("this kernel or container has no PID namespaces of its own");

	const TemporaryDirectory directory;
	const std::string file = directory / "profile.pb.gz";
	const support::Child without = support::burner();
	/* Processes outside the namespace cause records of names and mappings, too. */
	const support::Child beginning =
		support::start({"sh", "-c", "while :; do " + support::program("cli_burn") + " 20; done"});
	const support::Output recorded =
		support::run("unshare --pid --fork --mount-proc --kill-child sh -c '" +
			     support::program("cli_burn") + " 1000000 & exec " + support::profil_path() +
			     " record --backend perf -a --user-only -d 2 -o " + file + "'");
	const std::map<std::string, uint64_t> programs = support::by_process(file);
	const support::Json rows =
		support::parse_json(profil("report --json --sort process,function " + file).text)["rows"];
	bool named_inside = false;
	bool named_outside = false;

	INFO(recorded.text);
	REQUIRE(recorded.status == 0);
	CHECK(has(recorded.text, "processes outside this container's PID namespace are shown as [outside]"));
	CHECK(programs.at("[outside]") > 0);
	CHECK_FALSE(programs.contains("[swapper]"));
	for (const support::Json &row : rows) {
		const bool is_outside = row["process"] == "[outside]";

		CAPTURE(row.dump());
		CHECK((is_outside || row["process"] == "cli_burn" || row["process"] == "profil" ||
		       row["process"] == "[unknown]"));
		(is_outside ? named_outside : named_inside) |= has(row["function"], "burn_hot");
	}
	CHECK(named_inside);
	CHECK_FALSE(named_outside);
}

TEST_CASE("slices, parts, snapshots and top work with perf events", "[perf][record]")
{
	need_perf_alone();

	const TemporaryDirectory directory;
	const std::string file = directory / "profile.pb.gz";

	CHECK(profil("record -F 5000 --slice 20ms -o " + file + " -- " + busy).status == 0);
	CHECK(has(profil("report " + file).text, "samples"));

	const support::Output top = profil("top --batch -n 1 -d 0.5 -a");

	CHECK(top.status == 0);
	CHECK(has(top.text, "recording with perf events"));
}
