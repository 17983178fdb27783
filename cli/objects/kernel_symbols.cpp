// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/kernel_symbols.h"

#include "cli/base/files.h"
#include "cli/base/output_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace cli {
namespace {

/* The most bytes of code whose end is not known. */
constexpr uint64_t most_bytes = 65536;
/* Compilers name the padding before a function with one of these and the function's name. */
constexpr std::array<std::string_view, 2> paddings = {"__pfx_", "__cfi_"};
/* These mark the end of a part of the kernel's text, and are not functions. */
constexpr std::array<std::string_view, 3> ends = {"_etext", "_einittext", "_end"};

std::string_view first_line(std::string_view &text)
{
	const size_t end = std::min(text.find('\n'), text.size());
	const std::string_view line = text.substr(0, end);

	text.remove_prefix(std::min(end + 1, text.size()));
	return line;
}

std::string_view first_word(std::string_view &line)
{
	const size_t end = std::min(line.find_first_of(" \t"), line.size());
	const std::string_view word = line.substr(0, end);

	line.remove_prefix(std::min(end + 1, line.size()));
	return word;
}

uint64_t number(std::string_view text, int base)
{
	uint64_t value = 0;

	std::from_chars(text.data(), text.data() + text.size(), value, base);
	return value;
}

size_t underscores(std::string_view name)
{
	return std::min(name.find_first_not_of('_'), name.size());
}

/** A line of /proc/kallsyms. */
struct Symbol {
	uint64_t address = 0;
	std::string_view type;
	std::string_view name;
	std::string_view module;
};

/** "ffffffff81000000 T name", and for a module "\t[module]" after it. */
Symbol parse_symbol(std::string_view line)
{
	Symbol symbol;

	symbol.address = number(first_word(line), 16);
	symbol.type = first_word(line);
	symbol.name = first_word(line);
	if (line.size() > 2 && line.front() == '[' && line.back() == ']')
		symbol.module = line.substr(1, line.size() - 2);
	return symbol;
}

bool is_function(const Symbol &symbol)
{
	return symbol.address && symbol.type.size() == 1 && !symbol.name.empty() &&
	       std::string_view("tTwW").find(symbol.type[0]) != std::string_view::npos;
}

std::string_view without_padding(std::string_view name)
{
	for (const std::string_view padding : paddings) {
		if (name.size() > padding.size() && name.starts_with(padding))
			return name.substr(padding.size());
	}
	return name;
}

/** True if @p a is the better of two names for the same address. */
bool better(const Symbol &a, const Symbol &b)
{
	const auto rank = [](const Symbol &symbol) {
		const bool weak = symbol.type == "w" || symbol.type == "W";

		return std::tuple(weak, symbol.type != "T", underscores(symbol.name),
				  SIZE_MAX - symbol.name.size());
	};

	return rank(a) < rank(b);
}

std::string line_of(const Symbol &symbol)
{
	const std::string_view tab = symbol.module.empty() ? "" : "\t[";

	return fmt::format("{:016x} {} {}{}{}{}\n", symbol.address, symbol.type, symbol.name, tab,
			   symbol.module, tab.empty() ? "" : "]");
}

std::string read_or_nothing(const std::string &path, size_t limit = SIZE_MAX)
{
	Result<std::string> text = read_file(path, limit);

	return text ? *std::move(text) : "";
}

/** True if kernel.kptr_restrict hides the addresses from us. */
bool hidden()
{
	/* The first symbols may be per-CPU offsets, which begin at 0. */
	constexpr int first_lines = 32;
	std::ifstream symbols("/proc/kallsyms");
	std::string line;

	for (int i = 0; i < first_lines && std::getline(symbols, line); i++) {
		if (parse_symbol(line).address)
			return false;
	}
	return true;
}

/** A key, made from the boot ID and the loaded modules, that changes whenever addresses do. */
std::string key_of(std::string_view modules)
{
	std::string boot = read_or_nothing("/proc/sys/kernel/random/boot_id");
	uint64_t hash = 0xcbf29ce484222325;

	boot.resize(std::min(boot.find('\n'), boot.size()));
	for (const LoadedModule &module : parse_modules(modules)) {
		for (const char c : fmt::format("{} {:x}\n", module.name, module.base))
			hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
	}
	return fmt::format("{} {:016x}", boot, hash);
}

/** True if no module is being loaded or removed. */
bool all_live(std::string_view modules)
{
	return modules.find(" Loading ") == modules.npos && modules.find(" Unloading ") == modules.npos;
}

/** A directory that no other user can read; empty if there is none. */
std::string private_directory()
{
	const char *const cache = getenv("XDG_CACHE_HOME"); // NOLINT(concurrency-mt-unsafe)
	const char *const home = getenv("HOME");	    // NOLINT(concurrency-mt-unsafe)
	struct stat about;

	if (!(cache && *cache == '/') && !(home && *home == '/'))
		return "";

	const std::string parent = cache && *cache == '/' ? cache : std::string(home) + "/.cache";
	/* Another program may have created the parent directory, readable by all users. */
	const std::string path = parent + "/profil/kernel";

	mkdir(parent.c_str(), 0700);
	mkdir((parent + "/profil").c_str(), 0700);
	mkdir(path.c_str(), 0700);
	if (lstat(path.c_str(), &about) || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
	    about.st_mode & 077)
		return "";
	return path;
}

} // namespace

std::vector<LoadedModule> parse_modules(std::string_view text)
{
	std::vector<LoadedModule> modules;

	while (!text.empty()) {
		std::string_view line = first_line(text);
		LoadedModule module;

		module.name = first_word(line);
		module.size = number(first_word(line), 10);
		/* Skip the number of references, the users and the state. */
		for (int i = 0; i < 3; i++)
			first_word(line);
		if (const std::string_view base = first_word(line); base.starts_with("0x"))
			module.base = number(base.substr(2), 16);
		modules.push_back(std::move(module));
	}
	return modules;
}

KernelSymbols::KernelSymbols(std::string_view symbols, std::string_view modules)
	: loaded_(parse_modules(modules))
{
	std::vector<Symbol> all;
	std::string lines;
	Symbol last;

	while (!symbols.empty()) {
		Symbol symbol = parse_symbol(first_line(symbols));

		if (symbol.name == "_stext")
			low_ = symbol.address;
		if (symbol.name == "_etext")
			high_ = symbol.address;
		symbol.name = without_padding(symbol.name);
		if (is_function(symbol))
			all.push_back(symbol);
	}
	std::sort(all.begin(), all.end(), [](const Symbol &a, const Symbol &b) {
		return a.address != b.address ? a.address < b.address : better(a, b);
	});
	for (const Symbol &symbol : all) {
		/* A function follows its padding, which now has the same name. */
		if (symbol.address != last.address &&
		    (symbol.name != last.name || symbol.module != last.module))
			lines += line_of(symbol);
		last = symbol.address != last.address ? symbol : last;
	}
	take(share_text(std::move(lines)));
}

KernelSymbols KernelSymbols::read()
{
	const std::string modules = read_or_nothing("/proc/modules");

	if (hidden())
		return {"", modules};

	const std::string directory = private_directory();
	const std::string file = directory + "/symbols";
	const std::string key = key_of(modules);

	if (!directory.empty()) {
		/* The file is ours, in a private directory, and is only ever replaced as a whole. */
		if (Result<SharedText> text = map_text(file)) {
			KernelSymbols before = restored(*std::move(text), key, modules);

			if (before.known())
				return before;
		}
	}

	KernelSymbols symbols(read_or_nothing("/proc/kallsyms"), modules);

	/* A module that was loaded or removed in between may or may not have symbols here. */
	const std::string after = read_or_nothing("/proc/modules");

	if (directory.empty() || !all_live(modules) || !all_live(after) || key_of(after) != key)
		return symbols;
	/* If this fails, the next recording begins a little later. */
	if (const Result<OutputFile> output = OutputFile::prepare(file); output)
		static_cast<void>(output->write(symbols.saved(key)));
	return symbols;
}

std::string KernelSymbols::saved(std::string_view key) const
{
	return fmt::format("{} {:x} {:x}\n{}", key, low_, high_, text_.substr(lines_));
}

KernelSymbols KernelSymbols::restored(SharedText text, std::string_view key, std::string_view modules)
{
	KernelSymbols symbols;
	std::string_view rest = text.text;
	std::string_view line = first_line(rest);

	symbols.loaded_ = parse_modules(modules);
	if (!line.starts_with(key) || text.text.back() != '\n')
		return symbols;
	line.remove_prefix(std::min(key.size() + 1, line.size()));
	symbols.low_ = number(first_word(line), 16);
	symbols.high_ = number(first_word(line), 16);
	symbols.lines_ = text.text.size() - rest.size();
	symbols.take(std::move(text));
	return symbols;
}

void KernelSymbols::take(SharedText text)
{
	text_ = text.text;
	keeper_ = std::move(text.keeper);
}

const LoadedModule *KernelSymbols::module(std::string_view name) const
{
	const auto place = std::find_if(loaded_.begin(), loaded_.end(),
					[&](const LoadedModule &module) { return module.name == name; });

	return place == loaded_.end() ? nullptr : &*place;
}

const LoadedModule *KernelSymbols::module_like(std::string_view beginning, uint64_t base) const
{
	const LoadedModule *found = nullptr;
	unsigned count = 0;

	for (const LoadedModule &module : loaded_) {
		if (!module.name.starts_with(beginning))
			continue;
		if (module.base == base)
			return &module;
		found = &module;
		count++;
	}
	return count == 1 ? found : nullptr;
}

/** The beginning of the line that contains @p place. */
size_t KernelSymbols::line_at(size_t place) const
{
	const size_t before = place > lines_ ? text_.rfind('\n', place - 1) : text_.npos;

	return before == text_.npos || before < lines_ ? lines_ : before + 1;
}

size_t KernelSymbols::line_after(size_t place) const
{
	return std::min(text_.find('\n', place), text_.size() - 1) + 1;
}

uint64_t KernelSymbols::address_at(size_t line) const
{
	return number(text_.substr(line, 16), 16);
}

/**
 * The upper bound of a function's end.  The function ends earlier if another begins before that.
 */
uint64_t KernelSymbols::limit_of(const KernelFunction &function) const
{
	const LoadedModule *const loaded = function.module.empty() ? nullptr : module(function.module);

	if (loaded && loaded->base)
		return loaded->base + loaded->size;
	return function.module.empty() ? UINT64_MAX : function.start + most_bytes;
}

KernelFunction KernelSymbols::function_at(size_t line) const
{
	const size_t next = line_after(line);
	const Symbol symbol = parse_symbol(text_.substr(line, next - 1 - line));
	KernelFunction function = {symbol.name, symbol.module, symbol.address, 0};

	function.end = std::min(next < text_.size() ? address_at(next) : UINT64_MAX, limit_of(function));
	return function;
}

std::vector<KernelFunction> KernelSymbols::functions(uint64_t low, uint64_t high) const
{
	std::vector<KernelFunction> all;

	for (size_t line = lines_; line < text_.size(); line = line_after(line)) {
		const uint64_t address = address_at(line);

		if (address >= low && address < high)
			all.push_back(function_at(line));
	}
	return all;
}

std::optional<KernelFunction> KernelSymbols::find(uint64_t address) const
{
	size_t low = lines_;
	size_t high = text_.size();

	/* The last line whose address is not above @p address begins in [low, high). */
	if (!known() || address < address_at(lines_))
		return std::nullopt;
	while (line_after(low) < high) {
		const size_t line = line_at(low + (high - low) / 2);
		const size_t middle = line > low ? line : line_after(low);

		if (address_at(middle) <= address)
			low = middle;
		else
			high = middle;
	}

	const KernelFunction found = function_at(low);

	if (address >= found.end || std::find(ends.begin(), ends.end(), found.name) != ends.end())
		return std::nullopt;
	return found;
}

} // namespace cli
