// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/programs.h  Programs that tests run, and the files that they leave. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace support {

/** The output of a command on both streams, and its exit status. */
struct Output {
	int status = -1;
	std::string text;
};

/** Runs a command in the shell; its status is 128 + n after signal n. */
inline Output run(const std::string &command)
{
	Output output;
	FILE *pipe = popen(("(" + command + ") 2>&1").c_str(), "r");

	if (!pipe)
		throw std::runtime_error("popen");
	for (int c; (c = getc(pipe)) != EOF;)
		output.text += static_cast<char>(c);
	const int status = pclose(pipe);
	output.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return output;
}

/** The directory of the build: the first one above this program that has libprofil. */
inline std::string build_dir()
{
	for (auto dir = std::filesystem::read_symlink("/proc/self/exe").parent_path(); dir != dir.root_path();
	     dir = dir.parent_path())
		if (exists(dir / "libprofil.so.1"))
			return dir;
	throw std::runtime_error("no libprofil.so.1 above this program");
}

/** A directory that is removed with its contents. */
class TemporaryDirectory {
public:
	TemporaryDirectory()
	{
		char name[] = "/tmp/profil-test-XXXXXX";

		if (!mkdtemp(name))
			throw std::runtime_error("mkdtemp");
		path_ = name;
	}
	~TemporaryDirectory() { std::filesystem::remove_all(path_); }
	TemporaryDirectory(const TemporaryDirectory &) = delete;
	TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

	/** The path of a file in the directory. */
	[[nodiscard]] std::string operator/(const std::string &name) const { return path_ + "/" + name; }

private:
	std::string path_;
};

/** The cells of a line, which tabs separate. */
inline std::vector<std::string> cells_of(const std::string &line)
{
	std::vector<std::string> cells;
	std::istringstream in(line);

	for (std::string cell; getline(in, cell, '\t');)
		cells.push_back(cell);
	return cells;
}

/** The C compiler. */
inline std::string cc()
{
	const char *name = getenv("CC");

	return name ? name : "cc";
}

} // namespace support
