// SPDX-License-Identifier: GPL-2.0-or-later
// The jitdump format, version 1.
#include "cli/jit_symbols.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace cli {
namespace {

constexpr uint32_t magic = 0x4A695444;
constexpr size_t most_places = 1000000;
constexpr size_t longest_name = 4096;

enum RecordId : uint32_t { code_load = 0, code_move = 1, code_debug_info = 2 };

/** Takes values from the left; every step fails once one has. */
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

	/** Up to its terminating 0. */
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
	JitDump(std::string_view content, JitSymbols &symbols) : bytes_(content), symbols_(symbols) {}

	void read()
	{
		const auto found = bytes_.number<uint32_t>();
		[[maybe_unused]] const auto version = bytes_.number<uint32_t>();
		const auto header = bytes_.number<uint32_t>();

		if (!bytes_.ok() || found != magic || header < header_read)
			return;
		bytes_.part(header - header_read);
		while (record())
			;
	}

private:
	static constexpr uint32_t header_read = 12; /* bytes of it that were taken one by one */
	static constexpr uint32_t record_header = 16;

	bool record()
	{
		const auto id = bytes_.number<uint32_t>();
		const auto size = bytes_.number<uint32_t>();

		bytes_.number<uint64_t>(); /* its time */
		if (!bytes_.ok() || size < record_header)
			return false;

		const Bytes body(bytes_.part(size - record_header));

		if (!bytes_.ok())
			return false;
		if (id == code_load)
			load(body);
		else if (id == code_move)
			move(body);
		else if (id == code_debug_info)
			debug_info(body);
		return true;
	}

	void load(Bytes body)
	{
		body.part(16); /* process, thread and vma */
		const auto start = body.number<uint64_t>();
		const auto size = body.number<uint64_t>();

		body.number<uint64_t>(); /* index */
		const std::string_view name = body.string();

		if (body.ok())
			symbols_.add(start, size, start, code(start, name.substr(0, longest_name)));
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

	/** Of lines that were told for it before. */
	std::shared_ptr<const JitSymbols::Code> code(uint64_t start, std::string_view name)
	{
		auto told = std::make_shared<JitSymbols::Code>();

		told->name = name;
		for (const LineAt &line : lines_) {
			if (line.address >= start)
				told->places.push_back({line.address - start, line.line, line.file});
		}
		std::stable_sort(told->places.begin(), told->places.end(),
				 [](const auto &a, const auto &b) { return a.offset < b.offset; });
		return told;
	}

	/* Comes before the code that it is of. */
	void debug_info(Bytes body)
	{
		body.number<uint64_t>(); /* address of the code */
		const auto number = body.number<uint64_t>();

		lines_.clear();
		for (uint64_t i = 0; i < number && places_++ < most_places; i++) {
			const auto address = body.number<uint64_t>();
			const auto line = body.number<uint32_t>();

			body.number<uint32_t>(); /* discriminator */
			const std::string_view file = body.string();

			if (!body.ok())
				break;
			lines_.push_back({address, line, file_of(file)});
		}
	}

	/* The same as before, if it says so. */
	std::shared_ptr<const std::string> file_of(std::string_view name)
	{
		if (name == "\xff" && !lines_.empty())
			return lines_.back().file;
		return std::make_shared<const std::string>(name.substr(0, longest_name));
	}

	struct LineAt {
		uint64_t address;
		uint32_t line;
		std::shared_ptr<const std::string> file;
	};

	Bytes bytes_;
	JitSymbols &symbols_;
	std::vector<LineAt> lines_;
	size_t places_ = 0; /* that were told, in the whole dump */
};

void JitSymbols::add_jitdump(std::string_view content)
{
	JitDump(content, *this).read();
}

} // namespace cli
