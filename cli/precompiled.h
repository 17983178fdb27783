// SPDX-License-Identifier: GPL-2.0-or-later
// What takes longest to read of what most of the CLI includes, read once: see
// cli/build.mk.  A file includes what it needs all the same.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>
