// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/precompiled.h  The slow headers that nearly every test includes, precompiled: see
 * tests/build.mk.  A test still includes what it needs.
 */
#include "tests/support/catch.h"

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
