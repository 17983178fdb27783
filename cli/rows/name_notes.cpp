// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/name_notes.h"

#include "cli/base/saturate.h"
#include "cli/profile/location.h"
#include "cli/profile/nameless_code.h"

#include <fmt/format.h>
#include <string_view>

namespace cli {
namespace {

enum class Kind { Function, NamelessCode, PythonLoop };

/* If less than one sample in this many is in Python's interpreter, it is not worth a line. */
constexpr uint64_t least_python = 20;

Kind kind_of(std::string_view name)
{
	if (is_nameless_code(name))
		return Kind::NamelessCode;
	if (name == "_PyEval_EvalFrameDefault")
		return Kind::PythonLoop;
	return Kind::Function;
}

/** The samples of each kind of name. */
class Sums {
public:
	void add(Kind kind, uint64_t samples)
	{
		total_ = saturating_add(total_, samples);
		if (kind == Kind::NamelessCode)
			nameless_ = saturating_add(nameless_, samples);
		if (kind == Kind::PythonLoop)
			python_ = saturating_add(python_, samples);
	}

	[[nodiscard]] std::vector<std::string> notes(uint64_t total, const ValueType &type) const
	{
		std::vector<std::string> notes;

		if (nameless_)
			notes.push_back(share_text(nameless_, total, type) +
					" in generated code without names: a /tmp/perf-PID.map or a "
					"jitdump would name it (java -XX:+DumpPerfMapAtExit, node "
					"--perf-basic-prof)");
		if (python_ && python_ >= total / least_python)
			notes.push_back(share_text(python_, total, type) +
					" in Python's interpreter, whose samples stand for all "
					"Python functions: only call stacks distinguish these "
					"('perf record -g' of python3 -X perf, or py-spy)");
		return notes;
	}
	[[nodiscard]] uint64_t total() const { return total_; }

private:
	uint64_t total_ = 0;
	uint64_t nameless_ = 0;
	uint64_t python_ = 0;
};

bool shows_functions(std::span<const SortKey> columns)
{
	return has_key(columns, SortKey::Function) || has_key(columns, SortKey::Inlined);
}

} // namespace

std::vector<std::string> name_notes(const Flat &flat)
{
	Sums sums;

	if (!shows_functions(flat.columns))
		return {};
	for (const Row &row : flat.rows)
		sums.add(kind_of(row.function.empty() ? row.inlined : row.function), row.samples);
	return sums.notes(flat.samples, flat.type);
}

std::vector<std::string> name_notes(const Profile &profile, std::span<const SortKey> columns)
{
	Sums sums;
	std::vector<Kind> kinds;

	if (!shows_functions(columns))
		return {};
	kinds.reserve(profile.functions.size());
	for (const Function &function : profile.functions)
		kinds.push_back(kind_of(name_of(function)));

	const std::vector<uint64_t> samples = samples_by_location(profile);

	for (size_t i = 0; i < samples.size(); i++) {
		const std::vector<Line> &lines = profile.locations[i].lines;

		sums.add(lines.empty() ? Kind::Function : kinds[lines.back().function], samples[i]);
	}
	return sums.notes(sums.total(), samples_type(profile));
}

} // namespace cli
