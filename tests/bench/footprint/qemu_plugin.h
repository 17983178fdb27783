/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file tests/bench/footprint/qemu_plugin.h  What footprint.cpp uses of QEMU's interface for plugins.
 *
 * Debian 12 has QEMU 7.2 with plugins, and no package with the header.  These are the functions
 * and values of version 1 of the interface (docs/devel/tcg-plugins.rst of QEMU).
 */
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;

using qemu_plugin_id_t = std::uint64_t;
using qemu_plugin_meminfo_t = std::uint32_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

using qemu_plugin_tb_cb = void (*)(qemu_plugin_id_t id, qemu_plugin_tb *tb);
using qemu_plugin_exec_cb = void (*)(unsigned cpu, void *data);
using qemu_plugin_mem_cb = void (*)(unsigned cpu, qemu_plugin_meminfo_t info, std::uint64_t address,
				    void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb cb);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn *insn, qemu_plugin_exec_cb cb,
					    qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn *insn, qemu_plugin_mem_cb cb,
				      qemu_plugin_cb_flags flags, qemu_plugin_mem_rw rw, void *data);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *tb);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *tb, std::size_t index);
const void *qemu_plugin_insn_data(const qemu_plugin_insn *insn);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn *insn);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn *insn);

/* QEMU looks these up in the plugin. */
[[gnu::visibility("default")]] extern int qemu_plugin_version;
[[gnu::visibility("default")]] int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
						       char **argv);
}
