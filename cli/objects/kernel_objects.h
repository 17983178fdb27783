// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/kernel_objects.h  The kernel and its modules as objects of a recording. */
#pragma once

#include "cli/objects/object.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace cli {

class KernelSymbols;

/** What rows call the kernel, and its functions that are not known. */
inline constexpr std::string_view kernel_name = "[kernel]";

/** The build-id of the kernel that runs; empty if it has none. */
std::string kernel_build_id();
/** The same of a module that is loaded. */
std::string module_build_id(std::string_view module);
/** How far the kernel that runs is from where it was linked. */
uint64_t kernel_shift(const KernelSymbols &symbols);

/** The names in the kernel, or in one module, by link-time addresses. */
struct KernelText {
	std::shared_ptr<const KernelSymbols> symbols; /**< nullptr: no names are known */
	std::string module;			      /**< empty: the kernel itself */
	uint64_t shift = 0;			      /**< from a link-time address to where it is */

	/** The function at a link-time address; empty if its name is not known. */
	[[nodiscard]] std::string_view name_at(uint64_t address) const;
};

/** Code of a module that was loaded or removed while a recording went on: PROFIL_KIND_MODULE. */
struct ModuleLife {
	std::string name;
	uint64_t base = 0;
	uint64_t bytes = 0;
	uint32_t first = 0;	    /**< the first generation of ticks that may be in it */
	uint32_t last = UINT32_MAX; /**< the last generation of ticks in it; UINT32_MAX: it is loaded */
};

/** Where in the kernel a tick came. */
struct KernelPlace {
	std::shared_ptr<Object> object;
	uint64_t address = 0; /**< link-time; 0: not known */
};

/**
 * The objects of what ticks in the kernel have met.
 *
 * Addresses are those at which the kernel was linked, and in a module those from the
 * beginning of its code on: neither changes from boot to boot.
 */
class KernelObjects {
public:
	KernelObjects();

	/** Read all names: before the recording begins, whose ticks that would otherwise have. */
	void read();
	/**
	 * From now on, offsets are places in the kernel.
	 * @param base the address of offset 0; 0: offsets say nothing, and no names are read.
	 */
	void begin(uint64_t base);
	/** Are places known?  Not if kernel.kptr_restrict hides the addresses of names. */
	[[nodiscard]] bool known() const { return base_; }
	/** What the recording says of a module, by its number. */
	void set(uint32_t number, const ModuleLife &life);
	/** The recording does not know the number any more: no tick was in the module. */
	void forget(uint32_t number);
	/** Read the names of modules that were loaded since, at most once a second. */
	void look();
	/** Are there modules whose names are still to be read? */
	[[nodiscard]] bool has_nameless() const { return !nameless_.empty(); }
	/** All modules that were set. */
	[[nodiscard]] const std::map<uint32_t, ModuleLife> &lives() const { return lives_; }
	/** The place at an offset of PROFIL_KIND_KERNEL. */
	KernelPlace find(uint64_t offset);

private:
	struct Known {
		std::shared_ptr<Object> object;
		uint64_t base = 0;
	};

	KernelPlace nowhere() const { return {kernel_, 0}; }
	[[nodiscard]] const ModuleLife *life_at(uint64_t address, uint32_t generation,
						uint32_t &number) const;
	void complete_name(ModuleLife &life) const;
	KernelPlace in_life(uint32_t number, const ModuleLife &life, uint64_t address);
	KernelPlace in_module(std::string_view name, uint64_t address);

	uint64_t base_ = 0;
	uint64_t shift_ = 0; /* from link-time addresses of the kernel itself */
	std::chrono::steady_clock::time_point next_read_;
	std::shared_ptr<const KernelSymbols> symbols_;
	std::shared_ptr<Object> kernel_;
	std::map<uint32_t, ModuleLife> lives_;
	std::set<uint32_t> nameless_; /* those whose names are to be read */
	std::map<uint32_t, std::shared_ptr<const KernelSymbols>> symbols_of_; /* as of a life's beginning */
	std::map<uint32_t, std::string> build_id_of_;			      /* likewise */
	std::map<uint32_t, std::shared_ptr<Object>> of_life_;
	std::map<std::string, Known, std::less<>> of_module_; /* that is there since the beginning */
};

} // namespace cli
