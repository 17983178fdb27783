// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/options/subcommands.h  The subcommands of profil. */
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** An entry in main()'s table of subcommands. */
struct Subcommand {
	std::string_view name;
	std::string_view summary;
	int (*run)(const std::vector<std::string> &arguments);
	std::string (*help)();
};

/** Run a subcommand; @p arguments follow its name.  Returns the exit status. */
int export_main(const std::vector<std::string> &arguments);
int record_main(const std::vector<std::string> &arguments);
int report_main(const std::vector<std::string> &arguments);
int serve_main(const std::vector<std::string> &arguments);
int push_main(const std::vector<std::string> &arguments);
int annotate_main(const std::vector<std::string> &arguments);
int list_main(const std::vector<std::string> &arguments);
int status_main(const std::vector<std::string> &arguments);
int top_main(const std::vector<std::string> &arguments);

/** The text of --help. */
std::string export_help();
std::string record_help();
std::string report_help();
std::string serve_help();
std::string push_help();
std::string annotate_help();
std::string list_help();
std::string status_help();
std::string top_help();

} // namespace cli
