// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/output_file.h"

#include "cli/base/stop_signals.h"
#include "cli/base/stream.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace cli {
namespace {

constexpr char temporary_suffix[] = ".tmp";
constexpr char old_suffix[] = ".old";

std::string real_path(const std::string &path)
{
	const std::unique_ptr<char, void (*)(void *)> real(realpath(path.c_str(), nullptr), std::free);

	return real ? real.get() : "";
}

std::string directory_of(const std::string &path)
{
	const size_t slash = path.rfind('/');

	return slash == path.npos ? "." : path.substr(0, slash + 1);
}

std::string name_of(const std::string &path)
{
	const size_t slash = path.rfind('/');

	return slash == path.npos ? path : path.substr(slash + 1);
}

/** Creates a file next to @p path and sets @p name to its name; no descriptor on failure. */
Fd make_temporary(const std::string &path, std::string &name)
{
	name = path + ".XXXXXX" + temporary_suffix;
	return Fd(mkostemps(name.data(), sizeof(temporary_suffix) - 1, O_CLOEXEC));
}

unsigned new_file_mode()
{
	const mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

} // namespace

Result<OutputFile> OutputFile::prepare(const std::string &path)
{
	if (path == "-") {
		OutputFile output("standard output");
		const Outcome taken = output.take_standard_output();

		return taken ? Result<OutputFile>(std::move(output)) : taken.error();
	}

	OutputFile file(path);
	struct stat about;
	const bool exists = !stat(path.c_str(), &about);

	if (exists && S_ISDIR(about.st_mode))
		return system_error(path, EISDIR);

	file.mode_ = exists ? about.st_mode & 07777 : new_file_mode();
	const Outcome checked = exists && !S_ISREG(about.st_mode) ? file.open_special() : file.find_regular();

	if (!checked)
		return checked.error();
	return file;
}

/* With O_NONBLOCK, opening a FIFO without a reader fails instead of waiting forever. */
Outcome OutputFile::open_special()
{
	special_ = Fd(open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	if (!special_)
		return system_error(path_);
	fcntl(special_.get(), F_SETFL, 0);
	return Done();
}

Outcome OutputFile::take_standard_output()
{
	const int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return system_error(path_, EBADF);
	if (isatty(STDOUT_FILENO))
		return Error{path_ + " is a terminal, and a profile is not text"};
	special_ = Fd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
	return special_ ? Outcome(Done()) : system_error(path_);
}

Outcome OutputFile::find_regular()
{
	std::string probe;

	real_ = real_path(path_);
	if (!real_.empty() && access(real_.c_str(), W_OK))
		return system_error(path_);
	if (real_.empty() && !name_of(path_).empty()) {
		const std::string directory = real_path(directory_of(path_));

		if (directory.empty())
			return system_error(path_);
		real_ = directory + "/" + name_of(path_);
	}
	if (real_.empty())
		return system_error(path_, path_.empty() ? ENOENT : EISDIR);
	if (!make_temporary(real_, probe))
		return system_error(path_);
	unlink(probe.c_str());
	return Done();
}

Outcome OutputFile::write(std::string_view content, Before before, Sync sync) const
{
	if (!is_regular())
		return write_all(special_.get(), content) ? Outcome(Done()) : system_error(path_);
	return replace(content, before, sync);
}

Result<OutputFile> OutputFile::beside(const std::string &suffix) const
{
	return prepare(real_ + suffix);
}

Outcome OutputFile::remove() const
{
	return unlink(real_.c_str()) && errno != ENOENT ? system_error(path_) : Outcome(Done());
}

/* A hard link, so that a file always has the original name.  Not all file systems have links. */
Outcome OutputFile::keep_old() const
{
	const std::string old = real_ + old_suffix;

	if (unlink(old.c_str()) && errno != ENOENT)
		return system_error(old);
	if (!link(real_.c_str(), old.c_str()) || errno == ENOENT)
		return Done();
	if ((errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK) && !rename(real_.c_str(), old.c_str()))
		return Done();
	return system_error(old);
}

Outcome OutputFile::replace(std::string_view content, Before before, Sync sync) const
{
	std::string name;
	const Fd file = make_temporary(real_, name);

	if (!file)
		return system_error(path_);

	TemporaryFile temporary(name);

	/* Without fsync(), a crash soon after could leave an empty file in place of the old one. */
	if (!write_all(file.get(), content) || fchmod(file.get(), mode_) ||
	    (sync == Sync::Now && fsync(file.get())))
		return system_error(path_);
	if (before == Before::Kept) {
		if (const Outcome kept = keep_old(); !kept)
			return kept.error();
	}
	return temporary.rename_to(real_) ? Outcome(Done()) : system_error(path_);
}

} // namespace cli
