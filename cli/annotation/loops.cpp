// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/code_part.h"

#include "cli/base/saturate.h"

#include <algorithm>
#include <map>

namespace cli {
namespace {

/* More loops than any real function has; this limits the time that a hostile object can take. */
constexpr size_t most_loops = 1024;

/** The control flow between instructions, by their indices. */
class FlowGraph {
public:
	explicit FlowGraph(std::span<const AnnotatedInstruction> instructions) : nodes_(instructions.size())
	{
		for (size_t i = 0; i < instructions.size(); i++) {
			const Instruction &code = instructions[i].code;

			nodes_[i].falls_through = code.falls_through && i + 1 < instructions.size();
			if (code.flow != Flow::Jump)
				continue;
			nodes_[i].anywhere = !code.target;
			if (code.target)
				nodes_[i].target = index_of(instructions, *code.target);
		}
	}

	/** The target of a direct jump, if it is one of the instructions. */
	[[nodiscard]] std::optional<size_t> target(size_t jump) const { return nodes_[jump].target; }

	/** The instructions reachable from @p start; all if an indirect jump is among them. */
	[[nodiscard]] std::vector<bool> reached_from(size_t start) const
	{
		std::vector<bool> reached(nodes_.size());
		std::vector<size_t> open = {start};

		while (!open.empty()) {
			const size_t at = open.back();

			open.pop_back();
			if (reached[at])
				continue;
			reached[at] = true;
			if (nodes_[at].anywhere)
				return std::vector<bool>(nodes_.size(), true);
			if (nodes_[at].falls_through)
				open.push_back(at + 1);
			if (nodes_[at].target)
				open.push_back(*nodes_[at].target);
		}
		return reached;
	}

private:
	struct Node {
		std::optional<size_t> target;
		bool falls_through = false;
		bool anywhere = false;
	};

	static std::optional<size_t> index_of(std::span<const AnnotatedInstruction> instructions,
					      uint64_t address)
	{
		const auto place = std::lower_bound(instructions.begin(), instructions.end(), address,
						    [](const AnnotatedInstruction &one, uint64_t value) {
							    return one.code.address < value;
						    });

		if (place == instructions.end() || place->code.address != address)
			return std::nullopt;
		return static_cast<size_t>(place - instructions.begin());
	}

	std::vector<Node> nodes_;
};

/**
 * Extend each loop to the end of the loops that begin inside it: a compiler may place part of an
 * inner loop after the outer loop's last jump.
 * @param loops in order of address.
 */
void nest(std::vector<Loop> &loops)
{
	for (size_t i = loops.size(); i-- > 0;) {
		uint64_t &end = loops[i].extent.high;

		for (size_t inner = i + 1; inner < loops.size() && loops[inner].extent.low < end; inner++)
			end = std::max(end, loops[inner].extent.high);
	}
}

/**
 * Find loops, the shortest first.  All backward jumps to the same target belong to one
 * loop, for example those of `continue`.  A backward jump to code that does not lead
 * back to the jump, such as a shared exit, is not a loop.
 */
std::vector<Loop> loops_by_size(std::span<const AnnotatedInstruction> instructions)
{
	const FlowGraph graph(instructions);
	std::map<size_t, std::vector<size_t>> heads;
	std::vector<Loop> loops;

	for (size_t i = 0; i < instructions.size(); i++) {
		const std::optional<size_t> head = graph.target(i);

		if (head && *head <= i && (heads.size() < most_loops || heads.contains(*head)))
			heads[*head].push_back(i);
	}
	for (const auto &[head, jumps] : heads) {
		const std::vector<bool> reached = graph.reached_from(head);
		const auto last = std::find_if(jumps.rbegin(), jumps.rend(),
					       [&](size_t jump) { return reached[jump]; });

		if (last != jumps.rend())
			loops.push_back(
				{{instructions[head].code.address, instructions[*last].code.end()}, 0, 0});
	}
	nest(loops);
	std::stable_sort(loops.begin(), loops.end(), [](const Loop &a, const Loop &b) {
		return a.extent.high - a.extent.low < b.extent.high - b.extent.low;
	});
	return loops;
}

} // namespace

std::vector<Loop> find_loops(std::span<const AnnotatedInstruction> instructions)
{
	std::vector<Loop> loops = loops_by_size(instructions);

	for (const AnnotatedInstruction &one : instructions) {
		bool inside = false;

		if (!one.samples)
			continue;
		for (Loop &loop : loops) {
			if (!loop.extent.holds(one.code.address))
				continue;
			loop.samples = saturating_add(loop.samples, one.samples);
			if (!inside)
				loop.innermost = saturating_add(loop.innermost, one.samples);
			inside = true;
		}
	}
	std::erase_if(loops, [](const Loop &loop) { return !loop.samples; });
	std::stable_sort(loops.begin(), loops.end(),
			 [](const Loop &a, const Loop &b) { return a.innermost > b.innermost; });
	return loops;
}

} // namespace cli
