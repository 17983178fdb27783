// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/recorded.h"

#include "tests/support/debug_kernel.h"

#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>

namespace support {

Json report(const std::string &file, const std::string &by)
{
	const Output output = profil("report --json --by " + by + " " + file);

	INFO(output.text);
	REQUIRE(output.status == 0);
	Json json = parse_json(output.text);
	uint64_t causes = 0;
	uint64_t rows = 0;

	for (const auto &[cause, ticks] : json["ticks"].items())
		causes += cause == "total" || cause == "lost_unowned" || cause == "forks_lost"
				  ? 0
				  : ticks.get<uint64_t>();
	for (const Json &row : json["rows"])
		rows += row["samples"].get<uint64_t>();
	CHECK(json["ticks"]["total"] == causes);
	CHECK(json["samples"] == rows);
	CHECK(json["ticks"]["counted"] == rows);
	return json;
}

std::map<std::string, uint64_t> by_process(const std::string &file)
{
	const Output rows = profil("report --json --sort process " + file);
	std::map<std::string, uint64_t> all;

	INFO(rows.text);
	REQUIRE(rows.status == 0);
	const Json json = parse_json(rows.text);

	for (const Json &row : json["rows"]) {
		std::string name = row["process"];

		if (row.contains("pid"))
			name += " " + std::to_string(row["pid"].get<int>());
		all[name] += row["samples"].get<uint64_t>();
	}
	return all;
}

uint64_t samples_by_thread(const std::string &file)
{
	uint64_t sum = 0;
	const Json json = report(file);

	for (const Json &thread : json.value("threads", Json::array()))
		sum += thread["samples"].get<uint64_t>();
	for (const auto &[process, samples] : by_process(file))
		sum += process.starts_with("[") ? samples : 0;
	return sum;
}

std::map<std::string, uint64_t> functions_in(const std::string &file, const std::string &options)
{
	const Output output = profil("report --json " + options + " " + file);
	std::map<std::string, uint64_t> all;

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);

	for (const Json &row : json["rows"])
		all[row["function"]] += row["samples"].get<uint64_t>();
	return all;
}

std::map<std::string, uint64_t> values_of(const std::string &file, const std::string &type)
{
	return functions_in(file, "--value " + type);
}

Json hottest_row(const Json &json, size_t nth)
{
	const bool debug = on_debug_kernel();

	for (const Json &row : json["rows"]) {
		/* A report by objects has no functions. */
		const bool of_kernel =
			row.value("object", "") == "[kernel]" || row.value("function", "") == "[kernel]";

		if (!(debug && of_kernel) && nth-- == 0)
			return row;
	}
	return Json::object();
}

std::string hottest(const Json &json, size_t nth)
{
	return hottest_row(json, nth).value("function", "none");
}

bool has_rows_of(const Json &json, const std::string &object)
{
	const Json &rows = json["rows"];

	return std::any_of(rows.begin(), rows.end(),
			   [&](const Json &row) { return row["object"] == object; });
}

uint64_t samples_in_kernel(const Json &json)
{
	uint64_t samples = 0;

	for (const Json &row : json["rows"])
		samples += row["object"] == "[kernel]" ? row["samples"].get<uint64_t>() : 0;
	return samples;
}

double percent(const Json &json, const std::string &name)
{
	double sum = 0;

	for (const Json &row : json["rows"]) {
		const std::string key = json["by"] == "object" ? "object" : "function";

		if (row[key] == name)
			sum += row["percent"].get<double>();
	}
	return sum;
}

Child start(std::vector<std::string> arguments, const std::string &output, int nice)
{
	std::ofstream create(output);

	return Child([&] {
		std::vector<char *> pointers;

		for (std::string &argument : arguments)
			pointers.push_back(argument.data());
		pointers.push_back(nullptr);
		setpriority(PRIO_PROCESS, 0, nice);
		if (freopen(output.c_str(), "w", stdout) && dup2(STDOUT_FILENO, STDERR_FILENO) >= 0)
			execvp(pointers[0], pointers.data());
		_exit(127);
	});
}

int end_of(Child &child)
{
	const int status = child.reap();

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

pid_t child_of(pid_t pid)
{
	const std::string path =
		"/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children";

	REQUIRE(soon([&] { return !read_file(path).empty(); }));
	return std::stoi(read_file(path));
}

pid_t thread_named(pid_t pid, const std::string &name)
{
	pid_t found = 0;

	REQUIRE(soon([&] {
		for (const auto &task :
		     std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task"))
			if (read_file(task.path() / "comm") == name + "\n")
				found = std::stoi(task.path().filename());
		return found != 0;
	}));
	return found;
}

} // namespace support
