// SPDX-License-Identifier: GPL-2.0-or-later
// The headers that most of the CLI includes and that take the longest time to parse.
// They are parsed once: see cli/build.mk.  Each file still includes all that it needs.
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
