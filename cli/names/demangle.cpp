// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/symbols/demangle.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace cli {
namespace {

bool is_hex_digit(char c)
{
	return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

/* Rust's older mangling is that of C++ plus a hash at the end: "::h" and 16 digits. */
void drop_rust_hash(std::string &name)
{
	constexpr size_t length = 3 + 16;

	if (name.size() <= length || name.compare(name.size() - length, 3, "::h") != 0)
		return;
	if (std::all_of(name.end() - 16, name.end(), is_hex_digit))
		name.resize(name.size() - length);
}

/** Demangles a name without a symbol version. */
std::string readable(std::string plain)
{
	int status = 0;

	if (!plain.starts_with("_Z"))
		return plain;

	const std::unique_ptr<char, void (*)(void *)> demangled(
		abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status), std::free);

	if (status || !demangled)
		return plain;

	std::string result = demangled.get();

	drop_rust_hash(result);
	return result;
}

} // namespace

std::string demangle(std::string_view name)
{
	constexpr std::string_view stub = "@plt";

	/* Cut off the version, as in "malloc@@GLIBC_2.2.5", but keep "@plt": a stub is not the function it
	 * calls. */
	return readable(std::string(name.substr(0, std::max<size_t>(name.find('@', 1), 1))))
		.append(name.ends_with(stub) ? stub : "");
}

} // namespace cli
