// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names/demangle.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

/* Otherwise libiberty's header declares basename() again, differently. */
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

namespace cli {
namespace {

/** Rust's older mangling is that of C++ with a hash before the last 'E': "17h" and 16 digits. */
bool may_have_hash(std::string_view name)
{
	constexpr std::string_view length = "17h";
	constexpr size_t digits = 16;
	const size_t end = name.rfind('E');

	return end != name.npos && end >= length.size() + digits &&
	       name.substr(end - digits - length.size()).starts_with(length);
}

/** The style of a mangled name, for cplus_demangle(); 0 if it is not mangled. */
int style_of(std::string_view name)
{
	if (name.starts_with("_R") || (name.starts_with("_ZN") && may_have_hash(name)))
		return DMGL_AUTO;
	if (name.starts_with("_Z"))
		return DMGL_GNU_V3;
	return name.starts_with("_D") ? DMGL_DLANG : 0;
}

void append(const char *part, size_t length, void *text)
{
	static_cast<std::string *>(text)->append(part, length);
}

/** Demangles a name that has no symbol version. */
std::string readable(std::string plain)
{
	constexpr int options = DMGL_PARAMS | DMGL_ANSI;
	const int style = style_of(plain);
	std::string text;

	if (!style)
		return plain;
	/* Most names are of this style.  The callback form allocates nothing besides the text. */
	if (style == DMGL_GNU_V3)
		return cplus_demangle_v3_callback(plain.c_str(), options, append, &text) ? text : plain;

	const std::unique_ptr<char, void (*)(void *)> demangled(
		cplus_demangle(plain.c_str(), options | style), std::free);

	return demangled ? demangled.get() : plain;
}

} // namespace

std::string demangle(std::string_view name)
{
	constexpr std::string_view stub = "@plt";

	/* Cut off the version, as in "malloc@@GLIBC_2.2.5", but keep "@plt": a stub is not the function it
	 * calls. */
	std::string text = readable(std::string(name.substr(0, std::max<size_t>(name.find('@', 1), 1))));

	if (name.ends_with(stub))
		text += stub;
	return text;
}

} // namespace cli
