// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/footprint/footprint.cpp  What the kernel touches at each tick: a plugin for QEMU.
 *
 * A guest of scripts/vm --plugin runs a loop that makes no system calls, between two marks
 * (mark.h).  So whenever the kernel runs there, it is an interrupt, mostly a timer's.  For each
 * one, from its first instruction to the return to the loop, the plugin collects what was
 * executed, read and written, as far as instructions do it: what the CPU itself reads of tables, and
 * pushes at the entry, is missing.
 *
 * Arguments: out=FILE, in which it writes a line for each mark:
 * NUMBER INTERRUPTS INSTRUCTIONS CODE-LINES DATA-LINES PAGES TRANSLATIONS
 * with the median of all interrupts for all but the first two.  Lines are of 64 bytes, pages of
 * 4 KiB, of code and data.  Translations are what a TLB needs: the kernel's own text and data, and its
 * direct map, have pages of 2 MiB.
 * With trace=FILE, also the addresses of the instructions, and of the data that they touch, of one
 * interrupt of each mark: the 50th; with least=N the first after that of at least N instructions.
 */
#include "tests/bench/footprint/mark.h"
#include "tests/bench/footprint/qemu_plugin.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

int qemu_plugin_version = 1;

namespace {

constexpr std::uint64_t kernel_bit = 1ULL << 63;
/* Linux' Documentation/arch/x86/x86_64/mm.rst, without KASLR. */
constexpr std::uint64_t direct_map = 0xffff888000000000, direct_map_end = 0xffffc88000000000;
constexpr std::uint64_t direct_map5 = 0xff11000000000000, direct_map5_end = 0xff91000000000000;
constexpr std::uint64_t image = 0xffffffff80000000, image_end = 0xffffffffc0000000;
constexpr std::size_t skipped = 50; /* before one is traced */

enum Measure { instructions, code_lines, data_lines, pages, translations, measures };

using Values = std::array<std::vector<std::size_t>, measures>;

struct Interrupt {
	std::size_t executed = 0;
	std::string trace;
	std::unordered_set<std::uint64_t> code, data, page, translation;
};

FILE *out, *trace;
std::size_t least; /* instructions of an interrupt to be traced */
bool traced;	   /* one of this mark */
unsigned marked;   /* the number of the mark; 0: none */
bool inside;	   /* of an interrupt of the marked loop */
Values values;
Interrupt current;
/* By address, as one instruction is translated again and again; QEMU keeps the pointers. */
std::unordered_map<std::uint64_t, std::unique_ptr<std::uint64_t>> addresses;

void touch(std::uint64_t address)
{
	const bool large = (address >= direct_map && address < direct_map_end) ||
			   (address >= direct_map5 && address < direct_map5_end) ||
			   (address >= image && address < image_end);

	current.page.insert(address >> 12);
	current.translation.insert(large ? (address >> 21) << 9 : address >> 12);
}

/** Notes what an interrupt does, until it is known whether to keep that. */
void note(char what, std::uint64_t address)
{
	if (!trace || traced)
		return;
	std::array<char, 32> line{};

	std::snprintf(line.data(), line.size(), " %c %llx\n", what, static_cast<unsigned long long>(address));
	current.trace += std::to_string(marked) + line.data();
}

void end_interrupt()
{
	inside = false;
	if (trace && !traced && values[instructions].size() >= skipped && current.executed >= least) {
		traced = true;
		std::fputs(current.trace.c_str(), trace);
	}
	values[instructions].push_back(current.executed);
	values[code_lines].push_back(current.code.size());
	values[data_lines].push_back(current.data.size());
	values[pages].push_back(current.page.size());
	values[translations].push_back(current.translation.size());
}

void executed(unsigned, void *data)
{
	const std::uint64_t address = *static_cast<const std::uint64_t *>(data);

	if (!marked)
		return;
	if (!(address & kernel_bit)) {
		if (inside)
			end_interrupt();
		return;
	}
	if (!inside) {
		inside = true;
		current = {};
	}
	current.executed++;
	current.code.insert(address >> 6);
	touch(address);
	note('x', address);
}

void accessed(unsigned, qemu_plugin_meminfo_t, std::uint64_t address, void *)
{
	if (!inside)
		return;
	current.data.insert(address >> 6);
	touch(address);
	note('d', address);
}

std::size_t median(std::vector<std::size_t> &of)
{
	const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);

	std::nth_element(of.begin(), middle, of.end());
	return *middle;
}

void end_mark()
{
	std::fprintf(out, "%u %zu", marked, values[instructions].size());
	for (auto &each : values) {
		if (!each.empty())
			std::fprintf(out, " %zu", median(each));
		each.clear();
	}
	std::fputc('\n', out);
	/* Nothing is called at QEMU's end if the guest resets. */
	std::fflush(out);
	if (trace)
		std::fflush(trace);
}

void mark(unsigned, void *data)
{
	const auto number = static_cast<unsigned>(*static_cast<const std::uint64_t *>(data));

	inside = traced = false;
	if (marked)
		end_mark();
	marked = number;
}

/** The number in a mark, or -1 of any other instruction. */
std::int64_t number_of_mark(const qemu_plugin_insn *insn)
{
	std::array<unsigned char, footprint::mark_size> bytes{};
	std::uint32_t number = 0;

	if (qemu_plugin_insn_size(insn) != bytes.size())
		return -1;
	std::memcpy(bytes.data(), qemu_plugin_insn_data(insn), bytes.size());
	if (!std::equal(footprint::mark_opcode.begin(), footprint::mark_opcode.end(), bytes.begin()))
		return -1;
	std::memcpy(&number, bytes.data() + footprint::mark_opcode.size(), sizeof(number));
	if ((number & ~0xffU) != footprint::mark_base)
		return -1;
	return number & 0xff;
}

void *kept(std::uint64_t value)
{
	auto &place = addresses[value];

	if (!place)
		place = std::make_unique<std::uint64_t>(value);
	return place.get();
}

void translated(qemu_plugin_id_t, qemu_plugin_tb *tb)
{
	for (std::size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const std::int64_t number = number_of_mark(insn);

		if (number >= 0) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, QEMU_PLUGIN_CB_NO_REGS,
							       kept(static_cast<std::uint64_t>(number)));
			continue;
		}
		qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_PLUGIN_CB_NO_REGS,
						       kept(qemu_plugin_insn_vaddr(insn)));
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
						 nullptr);
	}
}

FILE *open_file(const char *name)
{
	FILE *file = std::fopen(name, "w");

	if (!file) {
		std::perror(name);
		std::exit(1);
	}
	return file;
}

} // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!std::strncmp(argv[i], "out=", 4))
			out = open_file(argv[i] + 4);
		else if (!std::strncmp(argv[i], "trace=", 6))
			trace = open_file(argv[i] + 6);
		else if (!std::strncmp(argv[i], "least=", 6))
			least = std::strtoul(argv[i] + 6, nullptr, 10);
	}
	if (!out) {
		std::fputs("footprint: no file for the results: give out=FILE\n", stderr);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
