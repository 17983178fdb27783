// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/cli11.h  CLI11's names, for headers: CLI11's own header takes ten seconds to
 * compile. */
#pragma once

namespace CLI {

class App;
class Option;
class Validator;

} // namespace CLI
