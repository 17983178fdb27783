// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/fuse.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace support {

namespace {

constexpr const char *file_name = "file";
constexpr uint64_t file_node = 2;
constexpr uint64_t for_ever = 1 << 30; /* seconds for which the kernel may cache the file */
constexpr uint32_t page = 4096;
constexpr int soon_ms = 5;

[[noreturn]] void fail(const char *what)
{
	throw std::system_error(errno, std::generic_category(), what);
}

std::string make_directory()
{
	char pattern[] = "/tmp/profil-fuse-XXXXXX";

	if (!mkdtemp(pattern))
		fail("mkdtemp");
	return pattern;
}

} // namespace

bool fuse_available()
{
	/* Its exit status does not matter: FUSE may be built in. */
	static const int tried = system("modprobe -q fuse");

	static_cast<void>(tried);
	return access("/dev/fuse", R_OK | W_OK) == 0;
}

FuseMount::FuseMount() : directory_(make_directory()), path_(directory_ + "/" + file_name)
{
	try {
		mount();
	} catch (...) {
		rmdir(directory_.c_str());
		throw;
	}
}

FuseMount::~FuseMount()
{
	close_device();
	unmount();
	rmdir(directory_.c_str());
}

void FuseMount::mount()
{
	/* A request may end between poll(2) and read(2), which must not wait for the next one. */
	device_ = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (device_ < 0)
		fail("/dev/fuse");
	const auto options =
		"fd=" + std::to_string(device_) + ",rootmode=40755,user_id=0,group_id=0,allow_other";
	if (::mount("fuse", directory_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) < 0) {
		const int error = errno;
		close_device();
		errno = error;
		fail("mounting a FUSE file system");
	}
	mounted_ = true;
}

void FuseMount::close_device()
{
	if (device_ >= 0)
		close(std::exchange(device_, -1));
}

void FuseMount::unmount()
{
	if (std::exchange(mounted_, false))
		umount2(directory_.c_str(), MNT_DETACH);
}

FuseServer::FuseServer(int device, size_t bytes, uint32_t open_flags, uint32_t kernel_flags)
	: device_(device), bytes_(bytes), open_flags_(open_flags), kernel_flags_(kernel_flags)
{
}

std::optional<FuseServer::Read> FuseServer::serve()
{
	pollfd request = {device_, POLLIN, 0};
	/* The kernel wants room for its largest write. */
	alignas(8) char buffer[FUSE_MIN_READ_BUFFER + page];

	if (poll(&request, 1, soon_ms) == 0)
		return {};
	const ssize_t n = read(device_, buffer, sizeof(buffer));
	/* Unmounted. */
	if (n < 0 && errno == ENODEV)
		_exit(0);
	/* The request was interrupted before it was read. */
	if (n < 0 && (errno == ENOENT || errno == EINTR || errno == EAGAIN))
		return {};
	if (n < 0)
		fail("reading /dev/fuse");
	return obey(*reinterpret_cast<fuse_in_header *>(buffer), buffer + sizeof(fuse_in_header));
}

std::optional<FuseServer::Read> FuseServer::obey(const fuse_in_header &header, const char *argument) const
{
	switch (header.opcode) {
	case FUSE_INIT: init(header, *reinterpret_cast<const fuse_init_in *>(argument)); break;
	case FUSE_LOOKUP: look_up(header, argument); break;
	case FUSE_GETATTR: tell_attributes(header); break;
	case FUSE_OPEN: open_file(header); break;
	case FUSE_READ: return Read{header.unique, reinterpret_cast<const fuse_read_in *>(argument)->size};
	case FUSE_RELEASE: reply(header.unique, 0); break;
	case FUSE_SETATTR:
		if (!kernel_flags_)
			reply(header.unique, -ENOSYS);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break; /* these get no reply */
	default: reply(header.unique, -ENOSYS);
	}
	return {};
}

void FuseServer::answer(const Read &read) const
{
	const std::vector<char> zeroes(std::min<size_t>(read.bytes, bytes_));

	reply(read.unique, 0, zeroes.data(), zeroes.size());
}

void FuseServer::init(const fuse_in_header &header, const fuse_init_in &in) const
{
	fuse_init_out out = {};

	out.major = FUSE_KERNEL_VERSION;
	out.minor = std::min<uint32_t>(in.minor, FUSE_KERNEL_MINOR_VERSION);
	/* A task that waits for a readahead page can be killed. */
	out.flags = in.flags & (FUSE_ASYNC_READ | kernel_flags_);
	out.max_readahead = page;
	out.max_write = page;
	out.max_background = 64;
	out.congestion_threshold = 64;
	reply(header.unique, 0, &out, sizeof(out));
}

fuse_attr FuseServer::attributes(uint64_t node) const
{
	fuse_attr attr = {};

	attr.ino = node;
	attr.nlink = 1;
	attr.blksize = page;
	attr.mode = node == file_node ? S_IFREG | 0666 : S_IFDIR | 0755;
	attr.size = node == file_node ? bytes_ : 0;
	return attr;
}

void FuseServer::look_up(const fuse_in_header &header, const char *name) const
{
	fuse_entry_out out = {};

	if (strcmp(name, file_name))
		return reply(header.unique, -ENOENT);
	out.nodeid = file_node;
	out.entry_valid = out.attr_valid = for_ever;
	out.attr = attributes(file_node);
	reply(header.unique, 0, &out, sizeof(out));
}

void FuseServer::tell_attributes(const fuse_in_header &header) const
{
	fuse_attr_out out = {};

	out.attr_valid = for_ever;
	out.attr = attributes(header.nodeid);
	reply(header.unique, 0, &out, sizeof(out));
}

void FuseServer::open_file(const fuse_in_header &header) const
{
	fuse_open_out out = {};

	out.open_flags = open_flags_;
	reply(header.unique, 0, &out, sizeof(out));
}

void FuseServer::reply(uint64_t unique, int error, const void *data, size_t bytes) const
{
	fuse_out_header header = {};
	const iovec parts[] = {{&header, sizeof(header)}, {const_cast<void *>(data), bytes}};

	header.len = static_cast<uint32_t>(sizeof(header) + bytes);
	header.error = error;
	header.unique = unique;
	/* ENOENT: the task that made the request was killed. */
	if (writev(device_, parts, 2) < 0 && errno != ENOENT)
		fail("writing /dev/fuse");
}

} // namespace support
