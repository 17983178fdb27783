// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/maps.h"

#include "cli/base/files.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <sys/sysmacros.h>

namespace cli {
namespace {

constexpr std::string_view deleted_mark = " (deleted)";
/* The kernel's name for MAP_SHARED | MAP_ANONYMOUS. */
constexpr std::string_view shared_memory = "/dev/zero (deleted)";

/** Parses a line from left to right; ok() turns false at the first error. */
class Cursor {
public:
	explicit Cursor(std::string_view rest) : rest_(rest) {}

	uint64_t number(int base)
	{
		uint64_t value = 0;
		const auto [end, error] =
			std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);

		if (error != std::errc())
			ok_ = false;
		else
			rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
		return value;
	}

	void skip(char expected)
	{
		if (rest_.empty() || rest_.front() != expected)
			ok_ = false;
		else
			rest_.remove_prefix(1);
	}

	std::string_view word()
	{
		const std::string_view taken = rest_.substr(0, rest_.find(' '));

		rest_.remove_prefix(taken.size());
		return taken;
	}

	std::string_view remainder()
	{
		rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
		return rest_;
	}

	[[nodiscard]] bool ok() const { return ok_; }

private:
	std::string_view rest_;
	bool ok_ = true;
};

/* The kernel escapes only newlines in a path, as \012. */
std::string unescape(std::string_view path)
{
	std::string plain;

	while (!path.empty()) {
		const bool newline = path.starts_with("\\012");

		plain += newline ? '\n' : path.front();
		path.remove_prefix(newline ? 4 : 1);
	}
	return plain;
}

std::optional<Mapping> parse_line(std::string_view line)
{
	Cursor cursor(line);
	Mapping mapping;

	mapping.start = cursor.number(16);
	cursor.skip('-');
	mapping.end = cursor.number(16);
	cursor.skip(' ');
	const std::string_view access = cursor.word();
	cursor.skip(' ');
	mapping.offset = cursor.number(16);
	cursor.skip(' ');
	const auto major_number = static_cast<unsigned>(cursor.number(16));
	cursor.skip(':');
	mapping.device = makedev(major_number, static_cast<unsigned>(cursor.number(16)));
	cursor.skip(' ');
	mapping.inode = cursor.number(10);
	if (!cursor.ok() || access.size() < 3 || access[2] != 'x' || mapping.start >= mapping.end)
		return std::nullopt;
	name_mapping(mapping, cursor.remainder());
	return mapping;
}

/* mprotect() splits mappings: parts that are adjacent in memory and in the file are one text. */
bool continues(const Mapping &before, const Mapping &next)
{
	if (before.end != next.start || before.source != next.source || before.name != next.name)
		return false;
	if (next.source == Source::Anonymous)
		return true;
	return next.source == Source::File && before.device == next.device && before.inode == next.inode &&
	       before.offset + before.size() == next.offset;
}

} // namespace

void name_mapping(Mapping &mapping, std::string_view name)
{
	if (name == "[vdso]") {
		mapping.source = Source::Vdso;
	} else if (name == "[vsyscall]" || name == "[uprobes]") {
		mapping.source = Source::Special;
	} else if (name.empty() || name.starts_with('[') || name == shared_memory) {
		mapping.source = Source::Anonymous;
	} else if (name.ends_with(deleted_mark)) {
		mapping.deleted = true;
		name.remove_suffix(deleted_mark.size());
	}
	mapping.name = name.empty() || name == shared_memory ? "[anon]" : unescape(name);
}

std::vector<Mapping> parse_maps(std::string_view text)
{
	std::vector<Mapping> mappings;

	while (!text.empty()) {
		const std::string_view line = text.substr(0, text.find('\n'));
		std::optional<Mapping> mapping = parse_line(line);

		text.remove_prefix(std::min(line.size() + 1, text.size()));
		if (!mapping)
			continue;
		if (!mappings.empty() && continues(mappings.back(), *mapping))
			mappings.back().end = mapping->end;
		else
			mappings.push_back(std::move(*mapping));
	}
	return mappings;
}

Result<std::vector<Mapping>> read_maps(pid_t pid)
{
	const Result<std::string> text = read_file(fmt::format("/proc/{}/maps", pid));

	if (!text)
		return text.error();
	return parse_maps(*text);
}

} // namespace cli
