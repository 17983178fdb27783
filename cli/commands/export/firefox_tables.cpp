// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/export/firefox_tables.h"

#include "cli/base/characters.h"

namespace cli {
namespace {

using Json = FirefoxJson;

/* The profiler's resourceTypes.library. */
constexpr int library_resource = 1;
/* The libraries' architecture: a profile does not name it, but it is usually this machine's. */
#ifdef __aarch64__
constexpr char machine[] = "aarch64";
#else
constexpr char machine[] = "x86_64";
#endif
/* Index of "User" in meta.categories. */
constexpr int user_category = 1;

/** Breakpad's form of a build-id: a GUID, whose first three numbers are little-endian, and an age of 0. */
std::string breakpad_id(std::string_view build_id)
{
	std::string digits(build_id.substr(0, 32));
	std::string id;

	digits.resize(32, '0');
	for (const size_t at : {6, 4, 2, 0, 10, 8, 14, 12})
		id += digits.substr(at, 2);
	id += digits.substr(16) + '0';
	for (char &c : id) {
		if (c >= 'a' && c <= 'f')
			c = static_cast<char>(c - 'a' + 'A');
	}
	return id;
}

/** The offset of a frame from the address that the first byte of its file would have in memory. */
uint64_t address_in_library(const Profile &profile, const CallFrame &frame)
{
	if (!frame.mapping)
		return frame.address;

	const ProfileMapping &mapping = profile.mappings[*frame.mapping];
	const uint64_t base = mapping.start - std::min(mapping.offset, mapping.start);

	return frame.address - std::min(base, frame.address);
}

} // namespace

FirefoxTable::FirefoxTable(std::initializer_list<const char *> columns)
{
	for (const char *name : columns)
		columns_.emplace_back(name, Json::array());
}

size_t FirefoxTable::add(std::initializer_list<Json> cells)
{
	auto cell = cells.begin();

	for (auto &[name, column] : columns_)
		column.push_back(*cell++);
	return length_++;
}

Json FirefoxTable::take()
{
	Json json;

	for (auto &[name, column] : columns_)
		json[name] = std::move(column);
	json["length"] = length_;
	return json;
}

size_t FirefoxShared::string(std::string_view text)
{
	const auto [place, fresh] = string_numbers_.try_emplace(std::string(text), strings_.size());

	if (fresh)
		strings_.push_back(text);
	return place->second;
}

Json FirefoxShared::source(std::string_view file)
{
	if (file.empty())
		return nullptr;

	const auto [place, fresh] = source_numbers_.try_emplace(std::string(file), 0);

	if (fresh)
		place->second = sources_.add({nullptr, string(file)});
	return place->second;
}

size_t FirefoxShared::library(const CallFrame &frame)
{
	const std::string path(frame.object);
	const std::string name(base_name(path));
	const std::string build_id = frame.mapping ? profile_.mappings[*frame.mapping].build_id : "";
	const auto [place, fresh] = library_numbers_.try_emplace({path, build_id}, libraries_.size());

	if (fresh) {
		libraries_.push_back({{"arch", machine},
				      {"name", name},
				      {"path", path},
				      {"debugName", name},
				      {"debugPath", path},
				      {"breakpadId", breakpad_id(build_id)},
				      {"codeId", build_id.empty() ? Json(nullptr) : Json(build_id)}});
	}
	return place->second;
}

Json FirefoxShared::take_shared()
{
	return {{"stringArray", std::move(strings_)}, {"sources", sources_.take()}};
}

/* A histogram has neither an order nor times, so the samples simply follow one another. */
void FirefoxThread::add(const CountedStack &counted, const CallFrames &frames)
{
	std::optional<size_t> prefix;
	size_t depth = 0;

	for (const CallFrame *one : frames.from_outermost(counted)) {
		depth = one->inlined ? depth + 1 : 0;
		prefix = stack(prefix, frame(*one, depth));
	}
	samples_.add({*prefix, static_cast<double>(samples_so_far_) * interval_, counted.samples});
	samples_so_far_ = add_samples(samples_so_far_, counted.samples);
}

Json FirefoxThread::take()
{
	Json samples = samples_.take();

	samples["weightType"] = "samples";
	return {{"samples", std::move(samples)},
		{"markers",
		 FirefoxTable({"data", "name", "startTime", "endTime", "phase", "category"}).take()},
		{"stackTable", stacks_.take()},
		{"frameTable", frames_.take()},
		{"funcTable", functions_.take()},
		{"resourceTable", resources_.take()},
		{"nativeSymbols", FirefoxTable({"libIndex", "address", "name", "functionSize"}).take()}};
}

size_t FirefoxThread::resource(const CallFrame &frame)
{
	const size_t library = shared_->library(frame);
	const auto [place, fresh] = resource_numbers_.try_emplace(library, 0);

	if (fresh)
		place->second = resources_.add(
			{library, shared_->string(base_name(frame.object)), nullptr, library_resource});
	return place->second;
}

size_t FirefoxThread::function(const CallFrame &frame)
{
	const auto [place, fresh] = function_numbers_.try_emplace(
		{frame.function, std::string(frame.object), std::string(frame.file)}, 0);

	if (fresh) {
		const Json library = frame.mapping ? Json(resource(frame)) : Json(-1);

		place->second = functions_.add({shared_->string(frame.function), false, false, library,
						shared_->source(frame.file), nullptr, nullptr});
	}
	return place->second;
}

size_t FirefoxThread::frame(const CallFrame &one, size_t depth)
{
	const size_t number = function(one);
	const auto [place, fresh] = frame_numbers_.try_emplace({number, one.address, one.line, depth}, 0);

	if (fresh) {
		place->second =
			frames_.add({address_in_library(shared_->profile(), one), depth, user_category, 0,
				     number, nullptr, 0, one.line ? Json(one.line) : Json(nullptr), nullptr});
	}
	return place->second;
}

size_t FirefoxThread::stack(std::optional<size_t> prefix, size_t frame)
{
	const auto [place, fresh] = stack_numbers_.try_emplace({prefix, frame}, 0);

	if (fresh)
		place->second = stacks_.add({frame, prefix ? Json(*prefix) : Json(nullptr)});
	return place->second;
}

} // namespace cli
