// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/device.h  Descriptors of /dev/profil, opened, polled and closed. */
#pragma once

#include "tests/fuzz/module/random.h"

namespace fuzz {

/** Descriptors of /dev/profil have fixed numbers, which threads share. */
constexpr int first_device = 500;
constexpr unsigned nr_devices = 6;

/** One of these descriptors, which may be closed. */
int any_device(Random &random);
void open_device(Random &random);
void close_device(Random &random);
/** Polls a recording for a wake-up, for a moment. */
void poll_device(Random &random);
/** Reads /proc/self/fdinfo of a device. */
void read_facts(Random &random);

} // namespace fuzz
