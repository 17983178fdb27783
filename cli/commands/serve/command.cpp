// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/exit.h"
#include "cli/base/stop_signals.h"
#include "cli/commands/serve/options.h"
#include "cli/commands/serve/pprof_server.h"
#include "cli/events/available.h"
#include "cli/options/subcommands.h"
#include "cli/profile/pprof.h"
#include "cli/recording/progress.h"
#include "cli/recording/recorded_profile.h"
#include "cli/recording/recording_run.h"
#include "cli/recording/session.h"

#include <array>
#include <csignal>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>

namespace cli {
namespace {

constexpr char name[] = "profil serve";
/* The longest time, in seconds, until the server notices that a client has gone. */
constexpr double patience = 0.1;

/**
 * Records the profile for one request.  Processes are attached only for that
 * time, so that profiling costs nothing while there are no requests.
 */
class ServedProfile : private RecorderLog {
public:
	/** @param say prints a warning. */
	ServedProfile(const TargetOptions &options, std::function<void(const std::string &)> say)
		: several_(options.events.size() > 1), say_(std::move(say)), profiler_(options, *this)
	{
	}

	Result<std::string> record(const ServeRequest &request)
	{
		for (const auto step : {&RecordingRun::prepare, &RecordingRun::start}) {
			if (const Outcome done = (profiler_.*step)(); !done)
				return Error{why_ + done.error().text};
		}

		const Clock::time_point start = Clock::now();
		RecordedTime time = {wall_clock_ns(), 0, profiler_.sources()};
		std::vector<std::string> warnings;

		while (seconds_since(start) < request.seconds && !request.cancelled() && !profiler_.over())
			profiler_.step(std::min(patience, request.seconds - seconds_since(start)), {});
		time.seconds = seconds_since(start);
		return encode_pprof(
			recorded_profile(profiler_.recorder().finish(), time, Lines::Stored, warnings));
	}

private:
	/* If nothing can be attached, the client is told the first reason. */
	void refused(pid_t pid, const std::string &process, const std::string &why) override
	{
		if (why_.empty())
			why_ = fmt::format("pid {} ({}): {}: ", pid, process, why);
	}
	/* Without a warning, an event that is not recorded would look like one that did not occur. */
	void warn(const std::string &text) override
	{
		if (several_)
			say_(text);
	}

	bool several_;
	std::function<void(const std::string &)> say_;
	RecordingRun profiler_;
	std::string why_;
};

/* Blocks the signals in the calling thread, so that they do not interrupt its system calls. */
void block_stop_signals()
{
	sigset_t signals;

	sigemptyset(&signals);
	for (const int number : {SIGINT, SIGTERM, SIGHUP})
		sigaddset(&signals, number);
	pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/* Find errors that would make every request fail, before the first request. */
Result<Backend> check(const TargetOptions &target)
{
	Result<Backend> backend = choose_backend(target);

	if (!backend)
		return backend.error();
	for (const Event &event : target.events) {
		if (Outcome available = check_available(event); !available)
			return available.error();
	}
	if (target.events.empty()) {
		if (const Result<uint64_t> period = choose_period(target, *backend); !period)
			return period.error();
	}
	if (const Result<ProcessFinder> finder = ProcessFinder::create(target.selection); !finder)
		return finder.error();
	return backend;
}

Outcome serve(const ServeOptions &options, const TargetOptions &target, const std::string &command_line)
{
	const Result<Backend> backend = check(target);

	if (!backend)
		return backend.error();

	const StopSignals signals;
	std::mutex talking;
	Console console(name);
	const auto say = [&](const std::string &text) {
		const std::lock_guard lock(talking);

		console.say(text);
	};
	Result<PprofServer> server =
		PprofServer::listen({options.listen, options.hosts, command_line, options.max_profiles, {}},
				    [&](const ServeRequest &request) {
					    Result<std::string> profile =
						    ServedProfile(target, say).record(request);

					    if (!profile)
						    say(profile.error().text);
					    return profile;
				    });

	if (!server)
		return server.error();
	if (backend->perf)
		say(backend_line(*backend, std::nullopt));
	say(fmt::format("{}{} answers /debug/pprof/profile?seconds=N{}",
			server->address().unix_path.empty() ? "http://" : "", server->address().text(),
			server->address().is_local() ? "" : ", for anyone who can reach it"));

	Outcome ended = Done();
	const Fd over(eventfd(0, EFD_CLOEXEC));
	std::thread answering([&] {
		/* Threads inherit the signal mask, so only the main thread gets the signals. */
		block_stop_signals();
		ended = server->run();
		eventfd_write(over.get(), 1);
	});
	std::array<pollfd, 2> ends = {{{signals.fd(), POLLIN, 0}, {over.get(), POLLIN, 0}}};

	while (poll(ends.data(), ends.size(), -1) < 0)
		; /* interrupted */
	server->stop();
	answering.join();
	return ended;
}

std::string joined(const std::vector<std::string> &arguments)
{
	std::string line = "profil";

	line += '\0';
	line += "serve";
	for (const std::string &argument : arguments)
		(line += '\0') += argument;
	return line;
}

} // namespace

int serve_main(const std::vector<std::string> &arguments)
{
	ServeOptions options;
	TargetOptions target;

	if (const std::optional<int> status = parse_serve_options(arguments, options, target))
		return *status;
	if (const Outcome done = serve(options, target, joined(arguments)); !done) {
		Console(name).say(done.error().text);
		return exit_failure;
	}
	return exit_ok;
}

} // namespace cli
