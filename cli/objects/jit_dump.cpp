// SPDX-License-Identifier: GPL-2.0-or-later
// The jitdump format, version 1.
#include "cli/objects/jit_symbols.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

namespace cli {
namespace {

constexpr uint32_t magic = 0x4A695444;
constexpr size_t most_places = 1000000;
constexpr size_t most_files = 65536;
/* A month of a compiler's output; an endless file must not keep us busy forever. */
constexpr size_t most_records = 16000000;
constexpr uint32_t longest_name = 4096;
/* The part of a load record up to the end of its name; the code itself follows. */
constexpr uint32_t longest_load = 40 + longest_name;
constexpr uint32_t longest_lines = 16U << 20;
constexpr uint64_t elf_header = 0x40;

enum RecordId : uint32_t { code_load = 0, code_move = 1, code_debug_info = 2 };

/** Reads values from left to right; ok() turns false at the first error. */
class Bytes {
public:
	explicit Bytes(std::string_view rest) : rest_(rest) {}

	template <typename Number> Number number()
	{
		Number value = 0;

		if (rest_.size() < sizeof(value)) {
			ok_ = false;
			return 0;
		}
		std::memcpy(&value, rest_.data(), sizeof(value));
		rest_.remove_prefix(sizeof(value));
		return value;
	}

	/** The bytes up to the terminating 0, or to the end. */
	std::string_view string()
	{
		const size_t end = rest_.find('\0');
		const std::string_view taken = rest_.substr(0, end);

		if (end == rest_.npos)
			ok_ = false;
		else
			rest_.remove_prefix(end + 1);
		return taken;
	}

	std::string_view part(size_t size)
	{
		const std::string_view taken = rest_.substr(0, size);

		if (taken.size() < size)
			ok_ = false;
		rest_.remove_prefix(taken.size());
		return taken;
	}

	[[nodiscard]] bool ok() const { return ok_; }

private:
	std::string_view rest_;
	bool ok_ = true;
};

} // namespace

/** Reads one dump into the symbols of its process. */
class JitDump {
public:
	JitDump(ByteSource &source, JitSymbols &symbols) : source_(source), symbols_(symbols) {}

	void read()
	{
		Bytes bytes(source_.read(0, header_read));
		const auto found = bytes.number<uint32_t>();
		[[maybe_unused]] const auto version = bytes.number<uint32_t>();
		const auto header = bytes.number<uint32_t>();

		if (!bytes.ok() || found != magic || header < header_read)
			return;
		offset_ = header;
		for (size_t records = 0; records < most_records && record(); records++)
			;
	}

private:
	static constexpr uint32_t header_read = 12; /* bytes of the header that are used */
	static constexpr uint32_t record_header = 16;

	bool record()
	{
		Bytes bytes(source_.read(offset_, record_header));
		const auto id = bytes.number<uint32_t>();
		const auto size = bytes.number<uint32_t>();

		bytes.number<uint64_t>(); /* timestamp */
		if (!bytes.ok() || size < record_header || source_.read(offset_ + size - 1, 1).empty())
			return false;

		const uint64_t body = offset_ + record_header;

		offset_ += size;
		if (id == code_load)
			load(Bytes(source_.read(body, std::min(size - record_header, longest_load))));
		else if (id == code_move)
			move(Bytes(source_.read(body, std::min(size - record_header, longest_load))));
		else if (id == code_debug_info)
			debug_info(Bytes(source_.read(body, std::min(size - record_header, longest_lines))));
		return true;
	}

	void load(Bytes body)
	{
		body.part(16); /* process, thread and vma */
		const auto start = body.number<uint64_t>();
		const auto size = body.number<uint64_t>();

		body.number<uint64_t>(); /* index */
		if (body.ok())
			symbols_.add(start, size, start, code(start, size, body.string()));
		lines_.clear();
	}

	void move(Bytes body)
	{
		body.part(16);
		const auto from = body.number<uint64_t>();
		const auto to = body.number<uint64_t>();
		const auto size = body.number<uint64_t>();
		const JitSymbols::Entry *moved = body.ok() ? symbols_.find(from) : nullptr;

		if (!moved)
			return;

		symbols_.add(to, size, moved->base + (to - from), std::shared_ptr(moved->code));
	}

	/**
	 * The offset of the lines' addresses from their code: V8 adds the size of an ELF header,
	 * because perf inject turns the code into an ELF file.  nullopt if any address is outside
	 * the code: in that case, V8 has written file names that it had already freed, with zero
	 * bytes in them, and the rest of the record is garbage.
	 */
	[[nodiscard]] std::optional<uint64_t> lines_shift(uint64_t start, uint64_t size) const
	{
		uint64_t first = UINT64_MAX;

		for (const LineAt &line : lines_) {
			if (line.address < start || line.address - start > size + elf_header)
				return std::nullopt;
			first = std::min(first, line.address - start);
		}
		return first >= elf_header ? elf_header : 0;
	}

	/** The code of a load record, with the lines of the debug record before it. */
	std::shared_ptr<const JitSymbols::Code> code(uint64_t start, uint64_t size, std::string_view name)
	{
		const std::optional<uint64_t> shift = lines_shift(start, size);

		if (!shift || lines_.size() > most_places - std::min(*places_, most_places))
			lines_.clear();
		*places_ += lines_.size();

		const std::shared_ptr<JitSymbols::Code> told(
			new JitSymbols::Code, [places = places_, count = lines_.size()](auto *gone) {
				*places -= count;
				delete gone;
			});

		told->name = name.substr(0, longest_name);
		for (const LineAt &line : lines_)
			told->places.push_back({line.address - start - *shift, line.line, line.file});
		std::stable_sort(told->places.begin(), told->places.end(),
				 [](const auto &a, const auto &b) { return a.offset < b.offset; });
		return told;
	}

	/* A debug record precedes the load record of its code. */
	void debug_info(Bytes body)
	{
		body.number<uint64_t>(); /* address of the code */
		const auto number = body.number<uint64_t>();

		lines_.clear();
		for (uint64_t i = 0; i < number; i++) {
			const auto address = body.number<uint64_t>();
			const auto line = body.number<uint32_t>();

			body.number<uint32_t>(); /* discriminator */
			const std::string_view file = body.string();

			if (!body.ok())
				break;
			lines_.push_back({address, line, file_of(file)});
		}
	}

	/* "\xff" stands for the previous file.  Lines of the same file share one string. */
	std::shared_ptr<const std::string> file_of(std::string_view name)
	{
		name = name.substr(0, longest_name);
		if (!lines_.empty() && (name == "\xff" || *lines_.back().file == name))
			return lines_.back().file;

		std::weak_ptr<const std::string> &known = files_[std::string(name)];
		std::shared_ptr<const std::string> file = known.lock();

		if (!file)
			known = file = std::make_shared<const std::string>(name);
		if (files_.size() > most_files)
			std::erase_if(files_, [](const auto &entry) { return entry.second.expired(); });
		return file;
	}

	struct LineAt {
		uint64_t address;
		uint32_t line;
		std::shared_ptr<const std::string> file;
	};

	ByteSource &source_;
	JitSymbols &symbols_;
	uint64_t offset_ = 0; /* where the next record begins */
	std::vector<LineAt> lines_;
	std::map<std::string, std::weak_ptr<const std::string>> files_;
	/* The number of places in all code that still exists. */
	std::shared_ptr<size_t> places_ = std::make_shared<size_t>(0);
};

void JitSymbols::add_jitdump(ByteSource &source)
{
	JitDump(source, *this).read();
}

} // namespace cli
