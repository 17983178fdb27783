// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/mappings.cpp  The mapping at an address changes during a recording: no
 * tick counts in the new mapping before the change, and none in the old one later than 100 ms after
 * it.
 */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"

#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <set>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;
using Count = std::function<uint64_t()>;

void check_whole(const Recording &recording)
{
	const profil_status status = recording.status();

	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(status.lost_full == 0);
	CHECK(status.ticks == causes(status));
}

/** @param step makes the change, which moves the ticks from one count to the other. */
void check_change(const Count &before, const Count &after, const std::function<void()> &step)
{
	CHECK(grows(before));
	CHECK(after() == 0);
	step();
	CHECK(grows(after));
	const uint64_t last = before();
	CHECK(grows(after));
	CHECK(before() == last);
}

/** A loaded copy of a library. */
class Library {
public:
	explicit Library(const std::string &path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
	{
		need_that(handle_ != nullptr, "the library is loaded");
		spin_ = reinterpret_cast<Spin *>(dlsym(handle_, "record_library_spin"));
		need_that(spin_ != nullptr, "the library has its function");
	}
	Library(const Library &) = delete;
	Library &operator=(const Library &) = delete;
	~Library() { dlclose(handle_); }

	uintptr_t address() const { return reinterpret_cast<uintptr_t>(spin_); }
	void spin() const { spin_(10'000); }

private:
	using Spin = void(unsigned long);
	void *handle_;
	Spin *spin_;
};

/** A copy of the library, with a name and an inode of its own. */
class LibraryFile {
public:
	explicit LibraryFile(const std::string &name) : path_("/tmp/" + name)
	{
		std::filesystem::copy_file(program("record_library"), path_,
					   std::filesystem::copy_options::overwrite_existing);
	}
	LibraryFile(const LibraryFile &) = delete;
	LibraryFile &operator=(const LibraryFile &) = delete;
	~LibraryFile() { unlink(path_.c_str()); }

	const std::string &path() const { return path_; }

private:
	std::string path_;
};

/** Make the page with the loop anonymous, as tools that put text on huge pages do. */
void copy_over(uintptr_t at)
{
	void *copy = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need_that(copy != MAP_FAILED, "there is memory");
	__builtin_memcpy(copy, reinterpret_cast<void *>(at), 4096);
	need(mprotect(copy, 4096, PROT_READ | PROT_EXEC), "mprotect");
	need_that(mremap(copy, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED,
		  "the copy takes the place of the text");
	code_written(reinterpret_cast<void *>(at), 4096);
}

/** The numbers of all texts of one kind. */
std::set<uint32_t> texts_of(const Recording &recording, uint32_t kind)
{
	std::set<uint32_t> numbers;

	for (const Row &row : recording.rows())
		if (row.text.kind == kind)
			numbers.insert(row.text.number);
	return numbers;
}

uint64_t in_memory(const Recording &recording, uintptr_t address)
{
	return recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_MEMORY && row.text.base + row.offset == address;
	});
}

} // namespace

TEST_CASE_METHOD(AtRest, "libraries that are loaded at the same address count each for itself", "[record]")
{
	const LibraryFile one("record-one.so"), other("record-other.so");
	const Memory step(4096, MAP_SHARED);
	Child child([&] {
		const auto is = [&](uint64_t what) { return counter<uint64_t>(step) == what; };
		auto library = std::make_unique<Library>(one.path());
		const uintptr_t before = library->address();

		while (is(0))
			library->spin();
		library.reset();
		library = std::make_unique<Library>(other.path());
		need_that(library->address() == before, "both are loaded at the same address");
		for (;;)
			library->spin();
	});
	Recording recording;

	recording.begin(child.pid());
	check_change([&] { return recording.in_file(one.path()); },
		     [&] { return recording.in_file(other.path()); },
		     [&] { *step.at<volatile uint64_t>() = 1; });
	recording.finish();
	check_whole(recording);
	CHECK(recording.of_kind(PROFIL_KIND_MEMORY) == 0);
}

TEST_CASE_METHOD(AtRest, "code that is written over is the same text, with other offsets", "[record]")
{
	constexpr uintptr_t later = text + 0x100;
	Steps child([](auto spin) {
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
		burner.plant_block(text, 0x80);
		burner.plant_loop(later);
		spin(later);
	});
	Recording recording;

	recording.begin(child.pid());
	CHECK(grows([&] { return in_memory(recording, text); }));
	CHECK(in_memory(recording, later) == 0);
	child.next();
	CHECK(grows([&] { return in_memory(recording, later); }));
	/*
	 * Ticks in anonymous memory count at their own PC, never at an earlier one, so the change
	 * takes effect at once.
	 */
	const uint64_t last = in_memory(recording, text);
	CHECK(grows([&] { return in_memory(recording, later); }));
	CHECK(in_memory(recording, text) == last);
	recording.finish();
	check_whole(recording);
	CHECK(texts_of(recording, PROFIL_KIND_MEMORY).size() == 1);
}

TEST_CASE_METHOD(AtRest, "memory with code that gives way to a file, and comes back, is the same text",
		 "[record]")
{
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		{
			const Burner burner;
			burner.plant_loop(text);
			spin(text);
		}
		file.map(text);
		spin(text);
		munmap(reinterpret_cast<void *>(text), 4096);
		const Burner burner;
		burner.plant_loop(text);
		spin(text);
	});
	Recording recording;
	const Count memory = [&] { return in_memory(recording, text); };
	const Count in_file = [&] { return recording.in_file(file.path()); };

	recording.begin(child.pid());
	check_change(memory, in_file, [&] { child.next(); });
	child.next();
	CHECK(grows(memory));
	const uint64_t last = in_file();
	CHECK(grows(memory));
	CHECK(in_file() == last);
	recording.finish();
	check_whole(recording);
	CHECK(texts_of(recording, PROFIL_KIND_MEMORY).size() == 1);
}

TEST_CASE_METHOD(AtRest, "text that a process moves to memory is its memory, and its owner stays", "[record]")
{
	const LoopFile file("profil-loop");
	Steps child([&](auto spin) {
		file.map(text);
		spin(text);
		copy_over(text);
		spin(text);
	});
	Recording recording;

	recording.begin(child.pid());
	check_change([&] { return recording.in_file(file.path()); },
		     [&] { return in_memory(recording, text); }, [&] { child.next(); });
	recording.finish();
	check_whole(recording);
	std::set<uint32_t> owners;
	for (const Row &row : recording.rows()) {
		owners.insert(row.owner.number);
		if (row.text.kind == PROFIL_KIND_MEMORY)
			CHECK(row.text.pid == child.pid());
	}
	CHECK(owners.size() == 1);
}
