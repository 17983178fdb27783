// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/support/fuse.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace guest {

namespace {

constexpr const char *file_name = "file";
constexpr uint64_t file_node = 2;
constexpr uint64_t for_ever = 1 << 30; /* seconds for which the kernel may keep what it knows */
constexpr uint32_t page = 4096;

} // namespace

/** The protocol of <linux/fuse.h>, as far as one file to be read needs it. */
class FuseFile::Server {
public:
	Server(const Fd &device, State &state, size_t bytes) : device_(device), state_(state), bytes_(bytes)
	{
	}

	[[noreturn]] void run()
	{
		for (;;) {
			pollfd request = {device_.get(), POLLIN, 0};

			if (need(poll(&request, 1, 5), "poll") > 0)
				answer();
			if (!state_.held)
				answer_reads();
		}
	}

private:
	struct Read {
		uint64_t unique;
		uint32_t bytes;
	};

	void answer()
	{
		/* The kernel wants room for its largest write. */
		alignas(8) char buffer[FUSE_MIN_READ_BUFFER + page];
		const ssize_t n = read(device_.get(), buffer, sizeof(buffer));

		/* Unmounted. */
		if (n < 0 && errno == ENODEV)
			_exit(0);
		/* A request that was interrupted meanwhile. */
		if (n < 0 && (errno == ENOENT || errno == EINTR || errno == EAGAIN))
			return;
		need(static_cast<int>(n), "reading /dev/fuse");
		obey(*reinterpret_cast<fuse_in_header *>(buffer), buffer + sizeof(fuse_in_header));
	}

	void obey(const fuse_in_header &header, const char *argument)
	{
		switch (header.opcode) {
		case FUSE_INIT: return init(header, *reinterpret_cast<const fuse_init_in *>(argument));
		case FUSE_LOOKUP: return look_up(header, argument);
		case FUSE_GETATTR: return tell_attributes(header);
		case FUSE_OPEN: return open_file(header);
		case FUSE_READ:
			reads_.push_back(
				{header.unique, reinterpret_cast<const fuse_read_in *>(argument)->size});
			state_.waiting = static_cast<unsigned>(reads_.size());
			return;
		case FUSE_RELEASE: return reply(header.unique, 0);
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT: return; /* these get no reply */
		default: return reply(header.unique, -ENOSYS);
		}
	}

	void answer_reads()
	{
		const std::vector<char> zeroes(bytes_);

		for (const Read &read : reads_)
			reply(read.unique, 0, zeroes.data(), std::min<size_t>(read.bytes, bytes_));
		reads_.clear();
		state_.waiting = 0;
	}

	void init(const fuse_in_header &header, const fuse_init_in &in) const
	{
		fuse_init_out out = {};

		out.major = FUSE_KERNEL_VERSION;
		out.minor = std::min<uint32_t>(in.minor, FUSE_KERNEL_MINOR_VERSION);
		/* A task that waits for a page that is read ahead can be killed. */
		out.flags = in.flags & FUSE_ASYNC_READ;
		out.max_readahead = page;
		out.max_write = page;
		out.max_background = 64;
		out.congestion_threshold = 64;
		reply(header.unique, 0, &out, sizeof(out));
	}

	fuse_attr attributes(uint64_t node) const
	{
		fuse_attr attr = {};

		attr.ino = node;
		attr.nlink = 1;
		attr.blksize = page;
		attr.mode = node == file_node ? S_IFREG | 0666 : S_IFDIR | 0755;
		attr.size = node == file_node ? bytes_ : 0;
		return attr;
	}

	void look_up(const fuse_in_header &header, const char *name) const
	{
		fuse_entry_out out = {};

		if (strcmp(name, file_name))
			return reply(header.unique, -ENOENT);
		out.nodeid = file_node;
		out.entry_valid = out.attr_valid = for_ever;
		out.attr = attributes(file_node);
		reply(header.unique, 0, &out, sizeof(out));
	}

	void tell_attributes(const fuse_in_header &header) const
	{
		fuse_attr_out out = {};

		out.attr_valid = for_ever;
		out.attr = attributes(header.nodeid);
		reply(header.unique, 0, &out, sizeof(out));
	}

	/* With FOPEN_DIRECT_IO each mmap(2) drops the pages of the file, and waits for those being read. */
	void open_file(const fuse_in_header &header) const
	{
		fuse_open_out out = {};

		out.open_flags = FOPEN_DIRECT_IO;
		reply(header.unique, 0, &out, sizeof(out));
	}

	void reply(uint64_t unique, int error, const void *data = nullptr, size_t bytes = 0) const
	{
		fuse_out_header header = {};
		const iovec parts[] = {{&header, sizeof(header)}, {const_cast<void *>(data), bytes}};

		header.len = static_cast<uint32_t>(sizeof(header) + bytes);
		header.error = error;
		header.unique = unique;
		/* ENOENT: its task was killed meanwhile. */
		if (writev(device_.get(), parts, 2) < 0 && errno != ENOENT)
			need(-1, "writing /dev/fuse");
	}

	const Fd &device_;
	State &state_;
	const size_t bytes_;
	std::vector<Read> reads_;
};

bool FuseFile::available()
{
	/* Its exit status does not matter: FUSE may be built in. */
	static const int tried = system("modprobe -q fuse");

	static_cast<void>(tried);
	return access("/dev/fuse", R_OK | W_OK) == 0;
}

Child FuseFile::serve()
{
	char pattern[] = "/tmp/profil-fuse-XXXXXX";
	const Fd device(need(open("/dev/fuse", O_RDWR | O_CLOEXEC), "/dev/fuse"));

	need_that(mkdtemp(pattern) != nullptr, "mkdtemp");
	directory_ = pattern;
	path_ = directory_ + "/" + file_name;
	const auto options =
		"fd=" + std::to_string(device.get()) + ",rootmode=40755,user_id=0,group_id=0,allow_other";
	need(mount("fuse", directory_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()),
	     "mounting a FUSE file system");
	/* Only the server keeps the descriptor. */
	return Child([&] { Server(device, *state(), bytes_).run(); });
}

FuseFile::FuseFile(size_t bytes) : bytes_(bytes), server_(serve()) {}

FuseFile::~FuseFile()
{
	abort();
}

void FuseFile::await_reader() const
{
	need_that(soon([this] { return waiting() > 0; }), "a page of the FUSE file is read");
}

void FuseFile::abort()
{
	if (directory_.empty())
		return;
	kill(server_.pid(), SIGKILL);
	server_.reap();
	umount2(directory_.c_str(), MNT_DETACH);
	rmdir(directory_.c_str());
	directory_.clear();
}

FuseMemory::FuseMemory(const FuseFile &file)
	: file_(need(open(file.path().c_str(), O_RDWR | O_CLOEXEC), file.path().c_str())),
	  memory_(file.bytes(), MAP_PRIVATE, file_.get())
{
}

void FuseMemory::drop() const
{
	need(madvise(memory_.at(), memory_.bytes(), MADV_DONTNEED), "MADV_DONTNEED");
	/* Without this the page would come from the cache. */
	const int error = posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED);
	need_that(error == 0, "POSIX_FADV_DONTNEED");
}

} // namespace guest
