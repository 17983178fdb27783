// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/objects.h  Objects made from files, like those of the recorder. */
#pragma once

#include "cli/objects/object.h"

#include <fcntl.h>
#include <memory>
#include <string>

namespace cli_test {

/** A file that is not mapped. */
inline cli::Object open_object(const std::string &path)
{
	cli::Object object;

	object.name = path;
	object.file = cli::Fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
	cli::inspect_elf(object);
	return object;
}

/** A file whose segments are all mapped as text. */
inline std::shared_ptr<cli::Object> map_object(const std::string &path)
{
	auto object = std::make_shared<cli::Object>(open_object(path));

	for (const cli::Segment &segment : object->segments)
		object->texts.add({segment.address, segment.address + segment.size, segment.offset}, true);
	return object;
}

} // namespace cli_test
