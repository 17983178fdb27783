// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/cli/cli_jit.cpp  Generates, names and runs code like a JIT compiler:
 * cli_jit MS HOW
 *
 *   MS    CPU time in milliseconds
 *   HOW   map: named by /tmp/perf-PID.map
 *         dump: named, with lines, by a jitdump in the working directory
 *         fork: named by /tmp/perf-PID.map, and run in a forked child
 *         none: not named
 */
#include "tests/guest/support/machine_code.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <elf.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

template <typename Number> void put(std::string &bytes, Number value)
{
	bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void put_header(std::string &bytes, uint32_t id, size_t body)
{
	put<uint32_t>(bytes, id);
	put(bytes, static_cast<uint32_t>(16 + body));
	put<uint64_t>(bytes, 0);
}

void write_map(uint64_t address)
{
	const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
	FILE *file = std::fopen(path.c_str(), "w");

	if (!file)
		std::abort();
	std::fprintf(file, "%lx %zx jitted loop\n", address, sizeof(code_function));
	std::fclose(file);
}

std::string dump_of(uint64_t address)
{
	const char file[] = "script.js";
	const char name[] = "dumped loop";
	std::string bytes("DTiJ");

	put<uint32_t>(bytes, 1);
	put<uint32_t>(bytes, 40);
#ifdef __aarch64__
	put<uint32_t>(bytes, EM_AARCH64);
#else
	put<uint32_t>(bytes, EM_X86_64);
#endif
	put<uint32_t>(bytes, 0);
	put(bytes, static_cast<uint32_t>(getpid()));
	put<uint64_t>(bytes, 0);
	put<uint64_t>(bytes, 0);
	put_header(bytes, 2, 16 + 2 * (16 + sizeof(file)));
	put(bytes, address);
	put<uint64_t>(bytes, 2);
	for (const auto &[offset, line] : {std::pair<size_t, uint32_t>{0, 10}, {CODE_FUNCTION_LOOP, 20}}) {
		put(bytes, address + offset);
		put(bytes, line);
		put<uint32_t>(bytes, 0);
		bytes.append(file, sizeof(file));
	}
	put_header(bytes, 0, 16 + 24 + sizeof(name) + sizeof(code_function));
	bytes.append(16, '\0');
	put(bytes, address);
	put<uint64_t>(bytes, sizeof(code_function));
	put<uint64_t>(bytes, 0);
	bytes.append(name, sizeof(name));
	bytes.append(reinterpret_cast<const char *>(code_function), sizeof(code_function));
	return bytes;
}

/** Map the file executable: this is how profilers find a jitdump. */
void write_dump(uint64_t address)
{
	const std::string path = "jit-" + std::to_string(getpid()) + ".dump";
	const std::string bytes = dump_of(address);
	const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
	    mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
		std::abort();
}

int64_t cpu_ms()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;

	void *memory =
		mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	std::memcpy(memory, code_function, sizeof(code_function));
	code_written(memory, sizeof(code_function));
	if (!std::strcmp(argv[2], "map") || !std::strcmp(argv[2], "fork"))
		write_map(reinterpret_cast<uintptr_t>(memory));
	if (!std::strcmp(argv[2], "dump"))
		write_dump(reinterpret_cast<uintptr_t>(memory));

	if (!std::strcmp(argv[2], "fork")) {
		const pid_t child = fork();

		if (child)
			return child < 0 || waitpid(child, nullptr, 0) != child;
	}

	const auto run = reinterpret_cast<void (*)()>(memory);

	for (const int64_t end = cpu_ms() + std::atoll(argv[1]); cpu_ms() < end;)
		run();
	return 0;
}
