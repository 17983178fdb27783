// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/top.h"

#include "cli/annotation/text.h"
#include "cli/base/characters.h"
#include "cli/commands/top/event_text.h"
#include "cli/profile/about.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr std::string_view first_hints = "q quit  h help  s sort  / filter  z zero  p pause";
constexpr std::string_view processes_hint = "  P processes";
constexpr std::string_view events_hint = "  e event";
constexpr std::string_view last_hint = "  Enter annotate";
constexpr char page_hints[] = "q, Esc back  Up Down PgUp PgDn scroll";
constexpr std::array orders = {TopOrder::Samples, TopOrder::Delta, TopOrder::Name, TopOrder::Object};

bool names_process(SortKey key)
{
	return key == SortKey::Process || key == SortKey::Command;
}

/** Parses a typed filter: as for --filter, or a regular expression for functions. */
Result<Filter> typed_filter(const std::string &text)
{
	Result<Filter> filter = parse_filter(text);

	return filter || text.find('=') != text.npos ? std::move(filter) : parse_filter("function=" + text);
}

} // namespace

Detail detail_for(const View &view)
{
	const bool keys = has_key(view.keys, SortKey::Inlined) || has_key(view.keys, SortKey::Line);
	const bool filters = std::any_of(view.filters.begin(), view.filters.end(), [](const Filter &filter) {
		return filter.field == Filter::Field::File;
	});

	return keys || filters ? Detail::Lines : Detail::Functions;
}

Top::Top(TopFeed &feed, View view, size_t event) : feed_(feed), event_(event)
{
	show(std::move(view));
}

void Top::show(View view)
{
	feed_.set_detail(detail_for(view));
	rows_ = std::make_unique<TopRows>(feed_.profile(), std::move(view), changes_, event_);
	edition_ = feed_.edition();
	targets_ = targets_text(from_comments(feed_.profile().comments), feed_.profile());
	selected_.reset();
}

void Top::refresh()
{
	changes_ = feed_.take();
	if (edition_ != feed_.edition()) {
		show(rows_->view());
		return;
	}
	rows_->add(changes_);
	targets_ = targets_text(from_comments(feed_.profile().comments), feed_.profile());
}

std::string Top::state() const
{
	if (feed_.is_file())
		return "";
	if (feed_.over())
		return "the profiled processes have ended";
	return paused_ ? "paused" : "";
}

std::string Top::bottom() const
{
	if (editor_)
		return editor_->line();
	if (!message_.empty())
		return printable(message_);

	/* Offer only keys that have an effect. */
	const bool apart = feed_.told_apart() != ToldApart::Nothing;

	return fmt::format("{}{}{}{}", first_hints, apart ? processes_hint : "",
			   rows_->types().size() > 1 ? events_hint : "", last_hint);
}

TopPicture Top::picture() const
{
	return {feed_.profile(), *rows_,	  !feed_.is_file(), order_,  reversed_,
		state(),	 feed_.notices(), bottom(),	    targets_};
}

size_t Top::position() const
{
	return selected_ ? rows_->before(*selected_, order_, reversed_) : 0;
}

ScreenLines Top::frame(ScreenSize size, bool color)
{
	if (page_shown_)
		return page_shown_->frame(size, color, message_.empty() ? page_hints : printable(message_));

	const TopPicture shown = picture();
	const size_t selected = position();

	page_ = std::max<size_t>(top_screen_rows(shown, size), 1);
	first_ = std::clamp(first_, selected + 1 - std::min(selected + 1, page_), selected);
	return top_screen(shown, size, first_, selected, color);
}

std::string Top::text(size_t width, size_t limit, bool color) const
{
	return top_text(picture(), width, limit, color);
}

bool Top::press(Key key)
{
	if (key == keys::resize)
		return true;
	message_.clear();
	if (editor_) {
		type(key);
		return true;
	}

	const TopAction action = top_action(key);

	return page_shown_ ? act_on_page(action) : act(action);
}

void Top::type(Key key)
{
	switch (editor_->press(key)) {
	case LineEditor::State::Editing: return;
	case LineEditor::State::Cancelled: editor_.reset(); return;
	case LineEditor::State::Done: break;
	}
	if (const Outcome set = set_filter(editor_->text()); set)
		editor_.reset();
	else
		editor_->complain(set.error().text);
}

Outcome Top::set_filter(const std::string &text)
{
	View view = rows_->view();

	view.filters.clear();
	if (!text.empty()) {
		Result<Filter> filter = typed_filter(text);

		if (!filter)
			return filter.error();
		view.filters.push_back(*std::move(filter));
	}
	show(std::move(view));
	return Done();
}

bool Top::act_on_page(TopAction action)
{
	if (page_shown_->act(action))
		return true;
	if (action == TopAction::Back || action == TopAction::Quit ||
	    (action == TopAction::Help && help_shown_))
		page_shown_.reset();
	else if (action == TopAction::Help)
		show_help();
	return true;
}

bool Top::act(TopAction action)
{
	switch (action) {
	case TopAction::Quit: return false;
	case TopAction::Annotate: annotate(); break;
	case TopAction::NextOrder: change_order(1); break;
	case TopAction::PreviousOrder: change_order(-1); break;
	case TopAction::NextEvent: next_event(); break;
	case TopAction::Reverse: reversed_ = !reversed_; break;
	case TopAction::Filter: editor_.emplace("filter: "); break;
	case TopAction::PerProcess: toggle_processes(); break;
	case TopAction::Zero: zero(); break;
	case TopAction::Pause: paused_ = !paused_; break;
	case TopAction::Refresh: refresh(); break;
	case TopAction::Help: show_help(); break;
	default: move(action);
	}
	return true;
}

void Top::move(TopAction action)
{
	const size_t now = position();

	switch (action) {
	case TopAction::Up: return select(now - std::min<size_t>(now, 1));
	case TopAction::Down: return select(now + 1);
	case TopAction::PageUp: return select(now - std::min(now, page_));
	case TopAction::PageDown: return select(now + page_);
	case TopAction::End: return select(SIZE_MAX - 1);
	case TopAction::Home: selected_.reset(); break;
	default: break;
	}
}

/** Select the row at @p position; it stays selected when it moves. */
void Top::select(size_t position)
{
	const std::vector<size_t> rows = rows_->first(position + 1, order_, reversed_);

	if (!rows.empty())
		selected_ = rows.back();
}

void Top::change_order(int step)
{
	const auto now = std::find(orders.begin(), orders.end(), order_) - orders.begin();
	const auto count = static_cast<ptrdiff_t>(orders.size());

	order_ = orders[static_cast<size_t>((now + step + count) % count)];
	message_ = fmt::format("sorted by {}", order_text(*rows_, order_));
}

void Top::next_event()
{
	if (rows_->types().size() < 2) {
		message_ = fmt::format("there is no other event to sort by ({} several with -e)",
				       feed_.is_file() ? "record" : "start");
		return;
	}
	event_ = (event_ + 1) % rows_->types().size();
	rows_->lead(event_);
	message_ = fmt::format("sorted by {}", order_text(*rows_, order_));
}

void Top::toggle_processes()
{
	const ToldApart told = feed_.told_apart();
	const SortKey key = told == ToldApart::Commands ? SortKey::Command : SortKey::Process;
	View view = rows_->view();

	if (told == ToldApart::Nothing) {
		message_ = feed_.profile().samples.empty()
				   ? "there are no samples yet"
				   : fmt::format("the profile does not distinguish processes ({} with "
						 "--per-process)",
						 feed_.is_file() ? "record" : "start");
		return;
	}
	if (!std::erase_if(view.keys, names_process))
		view.keys.insert(view.keys.begin(), key);
	if (view.keys.empty())
		view.keys = {SortKey::Function};
	show(std::move(view));
}

void Top::zero()
{
	if (feed_.is_file()) {
		message_ = "the counts of a file cannot be set to zero";
		return;
	}
	feed_.zero();
	changes_.clear();
	show(rows_->view());
}

void Top::show_help()
{
	help_shown_ = true;
	page_shown_ = std::make_unique<TextPage>("profil top: keys", [](size_t width, bool) {
		std::string text;

		for (const std::string &line : top_key_lines()) {
			for (const std::string &part : wrapped(line, width))
				text += shortened(part, width) + '\n';
		}
		return text;
	});
}

void Top::annotate()
{
	const std::vector<size_t> rows = rows_->first(position() + 1, order_, reversed_);

	if (rows.empty()) {
		message_ = "there is no function to annotate yet";
		return;
	}

	const Row row = rows_->names(rows.back());
	const std::span<const SortKey> columns = rows_->columns();
	const bool inlined = has_key(columns, SortKey::Inlined);
	const std::string_view name = inlined ? row.inlined : row.function;
	const std::vector<FunctionSamples> functions = functions_of(feed_.profile());
	const auto found = std::find_if(functions.begin(), functions.end(), [&](const FunctionSamples &one) {
		return one.object == row.object && one.name == name;
	});

	if (name.empty() || name == LiveProfile::other || found == functions.end()) {
		message_ = "this row is not one function: nothing to annotate";
		return;
	}

	const auto annotation = std::make_shared<const Annotation>(
		Annotator(feed_.profile(), {}).annotate(*found, inlined || !found->own));
	const auto sources =
		std::make_shared<SourceFiles>(std::vector<std::string>(), std::vector<PathPrefix>());

	help_shown_ = false;
	page_shown_ = std::make_unique<TextPage>("profil top: " + printable(name),
						 [annotation, sources](size_t width, bool color) {
							 AnnotationStyle style;

							 style.width = width;
							 style.color = color;
							 return annotation_text(*annotation, *sources, style);
						 });
}

} // namespace cli
