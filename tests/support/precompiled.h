// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/precompiled.h
 * What nearly every test includes and takes longest to read, read once: see
 * tests/build.mk.  A test includes what it needs all the same.
 */
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
