// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/stop_signals.h"
#include "cli/base/stream.h"
#include "cli/base/terminal.h"
#include "cli/commands/top/file.h"
#include "cli/commands/top/options.h"
#include "cli/commands/top/recording.h"
#include "cli/commands/top/screen.h"
#include "cli/commands/top/top.h"
#include "cli/options/subcommands.h"
#include "cli/profile/profile_file.h"
#include "cli/rows/events.h"
#include "cli/symbols/later_lines.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace cli {
namespace {

constexpr char name[] = "profil top";

void say(const std::string &text)
{
	write_message(fmt::format("{}: {}\n", name, printable(text)));
}

/** One run of profil top on a feed that has begun. */
class TopRun {
public:
	/** @param event the index of the event to sort by. */
	TopRun(const TopOptions &options, TopFeed &feed, const StopSignals &signals, size_t event)
		: options_(options), feed_(feed), signals_(signals), top_(feed, options.view, event)
	{
	}

	Outcome print_frames();
	void show(Screen &screen);

private:
	void refresh();
	[[nodiscard]] double time_left() const { return options_.delay - seconds_since(last_); }
	[[nodiscard]] bool over() const
	{
		return StopSignals::caught() || (options_.iterations && refreshes_ >= *options_.iterations);
	}
	bool press_keys(Screen &screen);
	void draw(Screen &screen);

	const TopOptions &options_;
	TopFeed &feed_;
	const StopSignals &signals_;
	Top top_;
	Clock::time_point last_ = Clock::now(); /* of the last refresh */
	uint64_t refreshes_ = 0;
};

void TopRun::refresh()
{
	top_.refresh();
	refreshes_++;
	last_ = Clock::now();
}

/* EPIPE is not an error: a reader such as head(1) may need no more lines. */
Outcome TopRun::print_frames()
{
	const std::array descriptors = {signals_.fd()};
	const size_t width = terminal_width(STDOUT_FILENO);
	const bool color = wants_color(options_.color, STDOUT_FILENO);

	while (!over()) {
		while (time_left() > 0 && !feed_.over() && !StopSignals::caught())
			feed_.wait(time_left(), descriptors);
		if (StopSignals::caught())
			break;

		const bool last = feed_.over();

		refresh();
		if (!write_all(STDOUT_FILENO,
			       (refreshes_ > 1 ? "\n" : "") + top_.text(width, options_.rows, color)))
			return errno == EPIPE ? Outcome(Done()) : system_error("standard output");
		if (last)
			break;
	}
	return Done();
}

/** False when the user wants to quit. */
bool TopRun::press_keys(Screen &screen)
{
	for (Key key = screen.key(); key != keys::none; key = screen.key()) {
		if (key == keys::hangup || !top_.press(key))
			return false;
		draw(screen);
	}
	return true;
}

void TopRun::draw(Screen &screen)
{
	screen.draw(top_.frame(screen.size(), wants_color(options_.color, STDOUT_FILENO)));
}

void TopRun::show(Screen &screen)
{
	const std::array descriptors = {signals_.fd(), STDIN_FILENO};

	draw(screen);
	while (!over() && press_keys(screen)) {
		feed_.wait(time_left(), descriptors);
		if (time_left() > 0)
			continue;
		if (top_.paused()) {
			last_ = Clock::now();
			continue;
		}
		refresh();
		draw(screen);
	}
}

Result<std::unique_ptr<TopFeed>> open_feed(const TopOptions &options, const StopSignals &signals)
{
	if (options.file) {
		Result<Profile> profile = read_profile(*options.file);

		if (!profile)
			return profile.error();
		tell(name, texts_of(add_lines(*profile)));
		return std::unique_ptr<TopFeed>(std::make_unique<TopFile>(*std::move(profile)));
	}

	const std::array descriptors = {signals.fd()};
	auto recording = std::make_unique<TopRecording>(options.target);
	const Clock::time_point begin = Clock::now();

	if (Outcome started = recording->start(); !started) {
		for (const std::string &line : recording->notices())
			say(line);
		return started.error();
	}
	while (seconds_since(begin) < options.start_delay && !StopSignals::caught())
		recording->wait(options.start_delay - seconds_since(begin), descriptors);
	if (options.start_delay > 0)
		recording->skip();
	return std::unique_ptr<TopFeed>(std::move(recording));
}

Outcome run(const TopOptions &options)
{
	const StopSignals signals;

	/* Check the terminal before anything is attached. */
	if (!options.batch) {
		if (Outcome checked = check_terminal(); !checked)
			return checked;
	}

	Result<std::unique_ptr<TopFeed>> feed = open_feed(options, signals);

	if (!feed)
		return feed.error();

	const Result<size_t> event = find_top_order(options.order, event_names_of((*feed)->profile()));

	if (!event)
		return event.error();

	TopRun top(options, **feed, signals, *event);

	if (options.batch)
		return top.print_frames();

	Result<std::unique_ptr<Screen>> opened = Screen::open(wants_color(options.color, STDOUT_FILENO));

	if (!opened)
		return opened.error();
	top.show(**opened);
	return Done();
}

} // namespace

int top_main(const std::vector<std::string> &arguments)
{
	TopOptions options;

	if (const std::optional<int> status = parse_top_options(arguments, options))
		return *status;
	if (const Outcome done = run(options); !done) {
		say(done.error().text);
		return exit_failure;
	}
	return exit_ok;
}

} // namespace cli
