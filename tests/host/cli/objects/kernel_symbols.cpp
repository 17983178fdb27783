// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/objects/kernel_symbols.cpp  Functions of the kernel, from texts of
 * /proc. */
#include "cli/objects/kernel_symbols.h"

#include "cli/recording/text_table.h"
#include "tests/support/catch.h"

using namespace cli;

namespace {

constexpr const char *symbols = "ffffffff81000000 T _stext\n"
				"ffffffff81000000 T first\n"
				"ffffffff81000010 W weak_alias_of_a_function\n"
				"ffffffff81000010 t local_alias_of_a_function\n"
				"ffffffff81000010 T __do_second\n"
				"ffffffff81000010 T second\n"
				"ffffffff81000010 T sec\n"
				"ffffffff81000100 t __pfx_third\n"
				"ffffffff81000110 t third\n"
				"ffffffff81000200 T _etext\n"
				"ffffffff81000300 D data\n"
				"ffffffffc0001000 t loop\t[busy]\n"
				"ffffffffc0001080 t spin\t[busy]\n"
				"ffffffffc0009000 t bpf_prog_1234_name\t[bpf]\n";
constexpr const char *modules = "busy 16384 1 other, Live 0xffffffffc0001000 (OE)\n"
				"other 20480 0 - Live 0xffffffffc0020000\n";

std::string name_at(const KernelSymbols &all, uint64_t address)
{
	const auto found = all.find(address);

	return found ? std::string(found->name) : "";
}

} // namespace

TEST_CASE("a function of the kernel reaches to the next one", "[cli]")
{
	const KernelSymbols all(symbols, modules);

	REQUIRE(all.known());
	CHECK(all.text() == 0xffffffff81000000);
	CHECK(all.text_end() == 0xffffffff81000200);
	CHECK(name_at(all, 0xffffffff80ffffff).empty());
	CHECK(name_at(all, 0xffffffff81000000) == "first");
	CHECK(name_at(all, 0xffffffff8100000f) == "first");
	CHECK(name_at(all, 0xffffffff810000ff) == "second");
	CHECK(name_at(all, 0xffffffff810001ff) == "third");
	/* Addresses after the text belong to no function. */
	CHECK(name_at(all, 0xffffffff81000200).empty());
	CHECK(name_at(all, 0xffffffff81000300).empty());
}

TEST_CASE("of several names of an address, perf's choice is taken", "[cli]")
{
	CHECK(name_at(KernelSymbols(symbols, modules), 0xffffffff81000010) == "second");
	CHECK(name_at(KernelSymbols("10 t a\n10 W bb\n", ""), 0x10) == "a");
	CHECK(name_at(KernelSymbols("10 t longer\n10 T b\n", ""), 0x10) == "b");
}

TEST_CASE("the padding before a function is the function's", "[cli]")
{
	const KernelSymbols all(symbols, modules);
	const auto third = all.find(0xffffffff81000104);

	REQUIRE(third);
	CHECK(third->name == "third");
	CHECK(third->start == 0xffffffff81000100);
	CHECK(third->end == 0xffffffff81000200);
}

TEST_CASE("a module's last function ends with the module, and compiled code soon", "[cli]")
{
	const KernelSymbols all(symbols, modules);
	const auto spin = all.find(0xffffffffc0001090);

	REQUIRE(spin);
	CHECK(spin->name == "spin");
	CHECK(spin->module == "busy");
	CHECK(spin->end == 0xffffffffc0001000 + 16384);
	CHECK(name_at(all, 0xffffffffc0005000).empty());
	CHECK(name_at(all, 0xffffffffc0009000) == "bpf_prog_1234_name");
	CHECK(name_at(all, 0xffffffffc0019000).empty());
	REQUIRE(all.module("other"));
	CHECK(all.module("other")->base == 0xffffffffc0020000);
	CHECK(all.module("other")->size == 20480);
	CHECK_FALSE(all.module("none"));
}

TEST_CASE("without addresses, no function of the kernel is known", "[cli]")
{
	const KernelSymbols hidden("0000000000000000 T _stext\n0000000000000000 T first\n",
				   "busy 16384 0 - Live 0x0000000000000000\n");

	CHECK_FALSE(hidden.known());
	CHECK_FALSE(hidden.find(0));
	CHECK_FALSE(KernelSymbols("", "").known());
	CHECK_FALSE(KernelSymbols("no line\n\n10\n10 T\nxx T a\n", "x\n").known());
}

TEST_CASE("a module is found by a truncated name and its address, or by the name alone if only one begins so",
	  "[cli]")
{
	const KernelSymbols all(symbols, "snd_soc_acpi_intel_match 4096 0 - Live 0xffffffffc0001000\n"
					 "snd_soc_acpi_intel_match_more 4096 0 - Live 0xffffffffc0003000\n"
					 "snd_sof_intel_hda_generic 4096 0 - Live 0xffffffffc0005000\n");
	const auto name = [&](const char *beginning, uint64_t base) {
		const LoadedModule *const found = all.module_like(beginning, base);

		return found ? found->name : "";
	};

	CHECK(name("snd_soc_acpi_intel_match", 0xffffffffc0001000) == "snd_soc_acpi_intel_match");
	CHECK(name("snd_soc_acpi_intel_match", 0xffffffffc0003000) == "snd_soc_acpi_intel_match_more");
	CHECK(name("snd_soc_acpi_intel_match", 0xffffffffc0004000).empty());
	CHECK(name("snd_sof_intel_hda_generi", 0xffffffffc0009000) == "snd_sof_intel_hda_generic");
	CHECK(name("snd_none", 0xffffffffc0001000).empty());
}

TEST_CASE("saved symbols are the same, unless the boot or the modules differ", "[cli]")
{
	const KernelSymbols all(symbols, modules);
	const std::string text = all.saved("boot 1");
	const KernelSymbols again = KernelSymbols::restored(share_text(text), "boot 1", modules);

	REQUIRE(again.known());
	CHECK(again.text() == all.text());
	CHECK(again.text_end() == all.text_end());
	for (const uint64_t address : {0xffffffff80ffffff, 0xffffffff81000000, 0xffffffff810000ff,
				       0xffffffff81000104, 0xffffffff81000200, 0xffffffffc0001090,
				       0xffffffffc0005000, 0xffffffffc0009010, 0xffffffffc0019000})
		CHECK(name_at(again, address) == name_at(all, address));
	CHECK_FALSE(KernelSymbols::restored(share_text(text), "boot 2", modules).known());
	CHECK_FALSE(KernelSymbols::restored(share_text(""), "boot 1", modules).known());
	CHECK_FALSE(KernelSymbols::restored(share_text("boot 1 1 2"), "boot 1", modules).known());
	/* A saved text that was cut off is rejected. */
	CHECK_FALSE(KernelSymbols::restored(share_text(text.substr(0, text.size() - 5)), "boot 1", modules)
			    .known());
}

TEST_CASE("each function of this kernel is found at its address", "[cli]")
{
	const KernelSymbols all = KernelSymbols::read();
	const KernelSymbols again = KernelSymbols::restored(share_text(all.saved("key")), "key", "");
	uint64_t address = all.text();
	size_t functions = 0;

	/* Usually only root sees addresses: others find no functions here. */
	while (const auto function = all.find(address)) {
		REQUIRE(function->end > address);
		REQUIRE(name_at(again, address) == function->name);
		REQUIRE(name_at(again, function->end - 1) == function->name);
		address = function->end;
		functions++;
	}
	CHECK((!all.known() || functions > 1000));
}

TEST_CASE("kernel threads are named by what they do, not by their CPUs", "[cli]")
{
	CHECK(kernel_thread_name("kworker/u8:2") == "[kworker]");
	CHECK(kernel_thread_name("ksoftirqd/0") == "[ksoftirqd]");
	CHECK(kernel_thread_name("kswapd0") == "[kswapd0]");
	CHECK(kernel_thread_name("irq/24-pciehp") == "[irq/24-pciehp]");
}
