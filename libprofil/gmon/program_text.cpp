// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/gmon/program_text.h"

#include <cstring>
#include <link.h>
#include <sys/auxv.h>

namespace libprofil {
namespace {

/** Where to store the texts.  If @c texts is nullptr, they are only counted. */
struct Finder {
	Text *texts;
	size_t room;
	size_t nr = 0;
	size_t objects = 0;
};

bool is_vdso(const dl_phdr_info &object)
{
	return object.dlpi_addr && object.dlpi_addr == getauxval(AT_SYSINFO_EHDR);
}

/* The first object is the program, whatever its name is. */
void describe(const dl_phdr_info &object, const ElfW(Phdr) & segment, bool is_program, Text &text)
{
	const char *const name = is_program ? "" : object.dlpi_name;
	const char *const slash = strrchr(name, '/');

	text.base = object.dlpi_addr;
	text.low = object.dlpi_addr + segment.p_vaddr;
	text.high = text.low + segment.p_memsz;
	strncpy(text.name, slash ? slash + 1 : name, sizeof text.name - 1);
}

int find(dl_phdr_info *object, size_t, void *argument)
{
	auto &finder = *static_cast<Finder *>(argument);
	const bool is_program = !finder.objects++;

	if (is_vdso(*object))
		return 0;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) &segment = object->dlpi_phdr[i];

		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if (finder.texts && finder.nr < finder.room)
			describe(*object, segment, is_program, finder.texts[finder.nr]);
		finder.nr++;
	}
	return 0;
}

size_t count_texts()
{
	Finder finder = {nullptr, 0};

	dl_iterate_phdr(find, &finder);
	return finder.nr;
}

} // namespace

ProgramText::ProgramText() : texts_(count_texts()), nr_(0)
{
	if (!texts_)
		return;

	/* If another thread has loaded objects since the count, there is no room for them. */
	Finder finder = {texts_.get(), texts_.size()};

	dl_iterate_phdr(find, &finder);
	nr_ = finder.nr < finder.room ? finder.nr : finder.room;
}

} // namespace libprofil
