// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/commands/export/export.h"
#include "cli/commands/export/size.h"
#include "cli/rows/call_stack.h"
#include "profil.h"

#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace cli {
namespace {

constexpr std::string_view unknown = "???";

/** Numbers names; the first use of a number defines its name. */
class Names {
public:
	/** "(3)", or "(3) name". */
	std::string text(std::string_view name)
	{
		const auto [place, fresh] = numbers_.try_emplace(std::string(name), numbers_.size() + 1);

		return fresh ? fmt::format("({}) {}", place->second, printable(name))
			     : fmt::format("({})", place->second);
	}

private:
	std::map<std::string, size_t> numbers_;
};

std::string_view or_unknown(std::string_view name)
{
	return name.empty() || name == "[unknown]" ? unknown : name;
}

/** A function with a symbol; code inlined in it appears as lines of other source files. */
struct CgFunction {
	std::string_view object;
	std::string_view file;
	std::string_view name;
	auto operator<=>(const CgFunction &) const = default;
};

CgFunction function_of(std::span<const CallFrame> frames)
{
	const CallFrame &outermost = frames.back();

	return {or_unknown(outermost.object), or_unknown(outermost.file), outermost.function};
}

struct Position {
	std::string_view file;
	uint64_t address;
	int64_t line;
	auto operator<=>(const Position &) const = default;
};

Position position_of(std::span<const CallFrame> frames)
{
	const CallFrame &innermost = frames.front();

	return {or_unknown(innermost.file), innermost.address, innermost.line};
}

using Call = std::pair<Position, CgFunction>;

/** Samples of a function itself, and of the functions that it calls. */
struct Costs {
	std::map<Position, uint64_t> self;
	std::map<Call, uint64_t> calls;
};

class Callgrind {
public:
	explicit Callgrind(const Profile &profile) : profile_(profile), frames_(profile) {}

	Result<std::string> write()
	{
		const std::vector<CountedStack> stacks = counted_stacks(profile_);

		for (const CountedStack &stack : stacks)
			add(stack);
		header(total_samples(stacks));
		for (const auto &[function, costs] : functions_) {
			write(function, costs);
			if (text_.size() > export_bytes_max)
				return too_large_to_export();
		}
		return std::move(text_);
	}

private:
	void add(const CountedStack &stack)
	{
		const std::span<const CallFrame> leaf = frames_.at(stack.locations.front());
		uint64_t &self = functions_[function_of(leaf)].self[position_of(leaf)];
		/* If recursion repeats a call in the stack, count the sample only once for it. */
		std::set<std::pair<CgFunction, Call>> seen;

		self = add_samples(self, stack.samples);
		for (size_t i = 1; i < stack.locations.size(); i++) {
			const std::span<const CallFrame> caller = frames_.at(stack.locations[i]);
			const Call call = {position_of(caller),
					   function_of(frames_.at(stack.locations[i - 1]))};

			if (!seen.insert({function_of(caller), call}).second)
				continue;

			uint64_t &sum = functions_[function_of(caller)].calls[call];

			sum = add_samples(sum, stack.samples);
		}
	}

	void header(uint64_t total)
	{
		text_ = fmt::format("# callgrind format\nversion: 1\ncreator: profil {}\ncmd: {}\n"
				    "positions: instr line\nevents: Samples\nsummary: {}\n",
				    profil_version(), printable(program_name(profile_)), total);
	}

	void write(const CgFunction &function, const Costs &costs)
	{
		text_ += fmt::format("\nob={}\nfl={}\nfn={}\n", objects_.text(function.object),
				     files_.text(function.file), names_.text(function.name));
		current_file_ = function.file;
		for (const auto &[position, samples] : costs.self)
			cost(function, position, samples);
		for (const auto &[call, samples] : costs.calls) {
			const auto &[position, callee] = call;

			enter(function, position.file);
			/* The number of calls is unknown. */
			text_ += fmt::format("cob={}\ncfi={}\ncfn={}\ncalls=0 0x0 0\n",
					     objects_.text(callee.object), files_.text(callee.file),
					     names_.text(callee.name));
			cost(function, position, samples);
		}
	}

	void cost(const CgFunction &function, const Position &position, uint64_t samples)
	{
		enter(function, position.file);
		text_ += fmt::format("{:#x} {} {}\n", position.address, position.line, samples);
	}

	/** Switch to the source file of inlined code, or back to the function's own file. */
	void enter(const CgFunction &function, std::string_view file)
	{
		if (file == current_file_)
			return;
		text_ += fmt::format("{}={}\n", file == function.file ? "fe" : "fi", files_.text(file));
		current_file_ = file;
	}

	const Profile &profile_;
	CallFrames frames_;
	std::map<CgFunction, Costs> functions_;
	Names objects_;
	Names files_;
	Names names_;
	std::string_view current_file_;
	std::string text_;
};

} // namespace

Result<std::string> export_callgrind(const Profile &profile)
{
	return Callgrind(profile).write();
}

} // namespace cli
