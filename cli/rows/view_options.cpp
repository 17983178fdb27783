// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/view_options.h"

#include "cli/options/arguments.h"

#include <CLI/CLI.hpp>

namespace cli {

void add_view_options(CLI::App &app, ViewWords &words)
{
	app.add_option("-s,--sort", words.sort);
	app.add_option("--filter", words.filters)->allow_extra_args(false);
	app.add_flag("-v,--full-names", words.full_names);
}

std::optional<int> understand_view(const std::string &name, const CLI::App &app, const ViewWords &words,
				   View &view)
{
	if (app.count("--sort")) {
		Result<std::vector<SortKey>> keys = parse_sort_keys(words.sort);

		if (!keys)
			return usage_error(name, "--sort: " + keys.error().text);
		view.keys = *std::move(keys);
	}
	for (const std::string &text : words.filters) {
		Result<Filter> filter = parse_filter(text);

		if (!filter)
			return usage_error(name, "--filter: " + filter.error().text);
		view.filters.push_back(*std::move(filter));
	}
	if (words.full_names)
		view.names = NameLength::Full;
	return std::nullopt;
}

std::string view_help()
{
	return R"help(  -s, --sort KEY[,KEY...]
                        group samples into rows by these keys
                        (default function):
                          function (sym, symbol)  including inlined functions
                          inlined                 the innermost inlined function
                          line (srcline)          source line
                          object (dso)            program or library
                          process (pid)           process, by name and PID if
                                                  it is known (--per-process)
                          command (comm)          all processes of one name
                          address                 address in the object
      --filter EXPR     only samples for which EXPR holds; EXPR is one of
                          function=REGEX  function, or one inlined in it
                          object=REGEX    path of the program or library
                          file=REGEX      path of the source file
                          process=REGEX   name of the process
                          pid=PID[,PID...]
                        or one of these with != for the opposite; if
                        --filter is repeated, all must hold
  -v, --full-names      functions with their parameters, return types and
                        template arguments
)help";
}

} // namespace cli
