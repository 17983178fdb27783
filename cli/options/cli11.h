// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/cli11.h  Names of CLI11, for headers: its own takes ten seconds to compile. */
#pragma once

namespace CLI {

class App;
class Option;
class Validator;

} // namespace CLI
