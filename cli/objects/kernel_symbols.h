// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/kernel_symbols.h  The functions of the running kernel and its modules. */
#pragma once

#include "cli/base/shared_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** A function of the kernel or of a module; the strings live as long as the KernelSymbols. */
struct KernelFunction {
	std::string_view name;
	std::string_view module; /**< empty: the kernel itself; "bpf" for a compiled BPF program */
	uint64_t start = 0;	 /**< with the padding before it, if that has a symbol of its own */
	uint64_t end = 0;	 /**< the first address after it */
};

/** A loaded module, from /proc/modules. */
struct LoadedModule {
	std::string name;
	uint64_t base = 0; /**< address of its code */
	uint64_t size = 0; /**< size of all its memory */
};

/**
 * The functions in a /proc/kallsyms.
 *
 * If an address has several names, the one that perf would choose is taken.  perf prefers strong
 * names, then global ones, then names with fewer leading underscores, then longer ones.
 *
 * The functions are kept as lines of the same format, sorted by address.  A binary search in a
 * saved text reads only the pages on the way to a line.
 */
class KernelSymbols {
public:
	KernelSymbols() = default;
	/**
	 * @param symbols the text of /proc/kallsyms: its format is in proc_kallsyms(5).
	 * @param modules the text of /proc/modules, which limits a module's last function.
	 */
	KernelSymbols(std::string_view symbols, std::string_view modules);

	/** The running kernel's symbols: those saved since boot, if the modules are the same. */
	static KernelSymbols read();

	/** A text for restored(). */
	[[nodiscard]] std::string saved(std::string_view key) const;
	/** The symbols in a text from saved(); not known() if the key differs. */
	static KernelSymbols restored(SharedText text, std::string_view key, std::string_view modules);

	/** True if the addresses are known: kernel.kptr_restrict may show them all as 0. */
	[[nodiscard]] bool known() const { return lines_ < text_.size(); }
	[[nodiscard]] std::optional<KernelFunction> find(uint64_t address) const;
	/** The functions that begin in a range, by address. */
	[[nodiscard]] std::vector<KernelFunction> functions(uint64_t low, uint64_t high) const;
	/** The kernel's own text, from "_stext" to "_etext". */
	[[nodiscard]] uint64_t text() const { return low_; }
	[[nodiscard]] uint64_t text_end() const { return high_; }
	[[nodiscard]] const LoadedModule *module(std::string_view name) const;
	/** The module whose name has this beginning: the one at @p base, or else the only one. */
	[[nodiscard]] const LoadedModule *module_like(std::string_view beginning, uint64_t base) const;

private:
	void take(SharedText text);
	[[nodiscard]] size_t line_at(size_t place) const;
	[[nodiscard]] size_t line_after(size_t place) const;
	[[nodiscard]] uint64_t address_at(size_t line) const;
	[[nodiscard]] KernelFunction function_at(size_t line) const;
	[[nodiscard]] uint64_t limit_of(const KernelFunction &function) const;

	std::string_view text_;
	std::shared_ptr<const void> keeper_; /* owns the text */
	size_t lines_ = 0;		     /* offset of the lines in text_ */
	std::vector<LoadedModule> loaded_;
	uint64_t low_ = 0;
	uint64_t high_ = 0;
};

/** The modules in the text of a /proc/modules; LoadedModule::base is 0 if addresses are hidden. */
std::vector<LoadedModule> parse_modules(std::string_view text);

} // namespace cli
