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

/** The name in rows for the kernel, and for its functions whose names are not known. */
inline constexpr std::string_view kernel_name = "[kernel]";

/** The build-id of the running kernel; empty if it has none. */
std::string kernel_build_id();
/** The build-id of a loaded module; empty if it has none. */
std::string module_build_id(std::string_view module);
/** The running kernel's run-time address minus its link-time address. */
uint64_t kernel_shift(const KernelSymbols &symbols);

/** The names in the kernel, or in one module, by link-time addresses. */
struct KernelText {
	std::shared_ptr<const KernelSymbols> symbols; /**< nullptr: no names are known */
	std::string module;			      /**< empty: the kernel itself */
	uint64_t shift = 0;			      /**< run-time minus link-time address */

	/** The function at a link-time address; empty if its name is not known. */
	[[nodiscard]] std::string_view name_at(uint64_t address) const;
};

/** Code of a module that was loaded or removed during a recording: PROFIL_KIND_MODULE. */
struct ModuleLife {
	std::string name;
	uint64_t base = 0;
	uint64_t bytes = 0;
	uint32_t first = 0;	    /**< the first generation whose ticks may be in this code */
	uint32_t last = UINT32_MAX; /**< the last such generation; UINT32_MAX: still loaded */
};

/** The place of a tick in the kernel. */
struct KernelPlace {
	std::shared_ptr<Object> object;
	uint64_t address = 0; /**< link-time; 0: not known */
};

/**
 * The objects that ticks in the kernel belong to.
 *
 * Addresses are link-time addresses of the kernel, or, in a module, offsets from the
 * beginning of its code.  Neither changes from boot to boot.
 */
class KernelObjects {
public:
	KernelObjects();

	/**
	 * Read all names.  Call this before the recording begins, or its own time is sampled, too.
	 */
	void read();
	/**
	 * Begin to translate the recording's offsets.
	 * @param base the address of offset 0; 0: offsets have no meaning, and no names are read.
	 */
	void begin(uint64_t base);
	/** Begin to translate addresses of the running kernel instead, with find_address(). */
	void begin_with_addresses();
	/** True if places can be found: kernel.kptr_restrict may hide the addresses of names. */
	[[nodiscard]] bool known() const { return base_; }
	/** Note the recording's description of a module, by the module's number. */
	void set(uint32_t number, const ModuleLife &life);
	/** Forget a number that the recording has dropped because no tick was in the module. */
	void forget(uint32_t number);
	/** Read the names of newly loaded modules, at most once a second. */
	void look();
	/** True if there are modules whose names have not been read yet. */
	[[nodiscard]] bool has_nameless() const { return !nameless_.empty(); }
	/** The modules noted by set() and not forgotten since, by number. */
	[[nodiscard]] const std::map<uint32_t, ModuleLife> &lives() const { return lives_; }
	/** The place at an offset of PROFIL_KIND_KERNEL. */
	KernelPlace find(uint64_t offset);
	/** The place at an address.  If it is unknown, read names again, at most once a second. */
	KernelPlace find_address(uint64_t address);

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
	uint64_t shift_ = 0; /* the kernel's own: run-time minus link-time address */
	std::chrono::steady_clock::time_point next_read_;
	std::shared_ptr<const KernelSymbols> symbols_;
	std::shared_ptr<Object> kernel_;
	std::map<uint32_t, ModuleLife> lives_;
	std::set<uint32_t> nameless_; /* modules whose names have not been read yet */
	std::map<uint32_t, std::shared_ptr<const KernelSymbols>> symbols_of_; /* by module number */
	std::map<uint32_t, std::string> build_id_of_;			      /* by module number */
	std::map<uint32_t, std::shared_ptr<Object>> of_life_;
	std::map<std::string, Known, std::less<>> of_module_; /* loaded before the start */
};

} // namespace cli
