// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/shared_text.h"

#include "cli/base/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace cli {

SharedText share_text(std::string text)
{
	const auto keeper = std::make_shared<const std::string>(std::move(text));

	return {*keeper, keeper};
}

Result<SharedText> map_text(const std::string &path)
{
	const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
	struct stat about;

	if (!file || fstat(file.get(), &about))
		return system_error(path);

	const auto size = static_cast<size_t>(about.st_size);

	if (!size)
		return SharedText();

	void *const at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);

	if (at == MAP_FAILED)
		return system_error(path);
	return SharedText{{static_cast<const char *>(at), size},
			  {at, [size](const void *bytes) { munmap(const_cast<void *>(bytes), size); }}};
}

} // namespace cli
