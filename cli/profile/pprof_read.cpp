// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/gzip.h"
#include "cli/base/numbers.h"
#include "cli/profile/pprof.h"
#include "cli/profile/pprof_fields.h"

#include <array>
#include <optional>
#include <protozero/pbf_message.hpp>
#include <unordered_map>

namespace cli {
namespace {

/* The allocator's overhead for an element of a list or an index. */
constexpr size_t node_bytes = 48;

using Reader = protozero::pbf_message<field::Profile>;

/** The file is not a valid profile; the text ends up in an Error. */
class Malformed : public std::runtime_error {
	using std::runtime_error::runtime_error;
};

/** The decoded profile would exceed the limit. */
class TooLarge : public std::exception {};

/* protozero does not check the type of a field against the file, so check it here. */
template <typename Message> void expect(const Message &in, protozero::pbf_wire_type type)
{
	if (in.wire_type() != type)
		throw Malformed("a field has the wrong type");
}

template <typename Message> uint64_t number(Message &in)
{
	expect(in, protozero::pbf_wire_type::varint);
	return in.get_uint64();
}

template <typename Message> int64_t signed_number(Message &in)
{
	return static_cast<int64_t>(number(in));
}

template <typename Message> protozero::data_view bytes(Message &in)
{
	expect(in, protozero::pbf_wire_type::length_delimited);
	return in.get_view();
}

/** Maps ids to indices.  Ids are nearly always 1, 2, and so on, in the order of the messages. */
class Index {
public:
	void add(uint64_t id, size_t index)
	{
		if (id == in_order_ + 1 && index == in_order_)
			in_order_++;
		else
			others_.emplace(id, index);
	}

	[[nodiscard]] std::optional<size_t> find(uint64_t id) const
	{
		/* The first message with an id wins, and the messages in order come first. */
		if (id - 1 < in_order_)
			return static_cast<size_t>(id - 1);

		const auto found = others_.find(id);

		return found == others_.end() ? std::nullopt : std::optional(found->second);
	}

private:
	size_t in_order_ = 0; /**< ids 1 to in_order_ have the indices 0 to in_order_ - 1 */
	std::unordered_map<uint64_t, size_t> others_;
};

/* Ids can be any numbers, and messages can be in any order. */
class Decoder {
public:
	Decoder(std::string_view content, size_t most_memory) : content_(content), left_(most_memory) {}

	Profile decode()
	{
		find_lists();
		for_each(field::Profile::string_table, strings_, [&](View view) {
			take(sizeof(view));
			strings_.emplace_back(view.data(), view.size());
		});
		for_each(field::Profile::mapping, profile_.mappings, [&](View view) { mapping(view); });
		for_each(field::Profile::function, profile_.functions, [&](View view) { function(view); });
		for_each(field::Profile::location, profile_.locations, [&](View view) { location(view); });
		about();
		for_each(field::Profile::sample, profile_.samples, [&](View view) { sample(view); });
		return std::move(profile_);
	}

private:
	using View = protozero::data_view;

	/** The part of the file with all messages of one tag, which are usually adjacent. */
	struct List {
		const char *begin = nullptr;
		const char *end = nullptr;
		size_t messages = 0;
	};

	[[nodiscard]] List *list_of(field::Profile tag)
	{
		const auto number = static_cast<size_t>(tag);

		return number < lists_.size() ? &lists_[number] : nullptr;
	}

	void find_lists()
	{
		Reader reader(content_.data(), content_.size());

		for (const char *at = content_.data(); reader.next(); at = reader.data().data()) {
			List *list = list_of(reader.tag());

			reader.skip();
			if (!list)
				continue;
			if (!list->messages++)
				list->begin = at;
			list->end = reader.data().data();
		}
	}

	/** Reserve room in @p decoded for the messages with @p tag, and decode them. */
	template <typename Element, typename Decode>
	void for_each(field::Profile tag, std::vector<Element> &decoded, Decode decode)
	{
		const List &list = *list_of(tag);

		/* The content of a message counts against the limit when it is decoded. */
		if (list.messages > left_ / sizeof(Element))
			throw TooLarge();
		decoded.reserve(list.messages);

		Reader reader(list.begin, static_cast<size_t>(list.end - list.begin));

		while (reader.next(tag))
			decode(bytes(reader));
	}

	/* Count the memory: a few bytes can refer to a long string, or be an empty message. */
	void take(size_t memory)
	{
		if (memory > left_)
			throw TooLarge();
		left_ -= memory;
	}

	std::string text(int64_t number)
	{
		if (number == 0 && strings_.empty())
			return {};
		if (number < 0 || static_cast<uint64_t>(number) >= strings_.size())
			throw Malformed("a string is missing");

		const std::string_view found = strings_[static_cast<size_t>(number)];

		take(found.size());
		return std::string(found);
	}

	static size_t look_up(const Index &index, uint64_t id, const char *what)
	{
		const std::optional<size_t> found = index.find(id);

		if (!found)
			throw Malformed(what);
		return *found;
	}

	ValueType value_type(View view)
	{
		protozero::pbf_message<field::ValueType> in(view);
		ValueType type;

		while (in.next()) {
			if (in.tag() == field::ValueType::type)
				type.type = text(signed_number(in));
			else if (in.tag() == field::ValueType::unit)
				type.unit = text(signed_number(in));
			else
				in.skip();
		}
		return type;
	}

	void mapping(View view)
	{
		protozero::pbf_message<field::Mapping> in(view);
		ProfileMapping one;
		uint64_t id = 0;

		take(sizeof(one) + node_bytes);
		while (in.next()) {
			switch (in.tag()) {
			case field::Mapping::id: id = number(in); break;
			case field::Mapping::memory_start: one.start = number(in); break;
			case field::Mapping::memory_limit: one.limit = number(in); break;
			case field::Mapping::file_offset: one.offset = number(in); break;
			case field::Mapping::filename: one.filename = text(signed_number(in)); break;
			case field::Mapping::build_id: one.build_id = text(signed_number(in)); break;
			case field::Mapping::has_functions: one.has_functions = number(in) != 0; break;
			case field::Mapping::has_filenames: one.has_filenames = number(in) != 0; break;
			case field::Mapping::has_line_numbers: one.has_line_numbers = number(in) != 0; break;
			case field::Mapping::has_inline_frames:
				one.has_inline_frames = number(in) != 0;
				break;
			default: in.skip();
			}
		}
		mapping_ids_.add(id, profile_.mappings.size());
		profile_.mappings.push_back(std::move(one));
	}

	void function(View view)
	{
		protozero::pbf_message<field::Function> in(view);
		Function one;
		uint64_t id = 0;

		take(sizeof(one) + node_bytes);
		while (in.next()) {
			switch (in.tag()) {
			case field::Function::id: id = number(in); break;
			case field::Function::name: one.name = text(signed_number(in)); break;
			case field::Function::system_name: one.system_name = text(signed_number(in)); break;
			case field::Function::filename: one.filename = text(signed_number(in)); break;
			case field::Function::start_line: one.start_line = signed_number(in); break;
			default: in.skip();
			}
		}
		function_ids_.add(id, profile_.functions.size());
		profile_.functions.push_back(std::move(one));
	}

	Line line(View view) const
	{
		protozero::pbf_message<field::Line> in(view);
		Line one;
		uint64_t id = 0;

		while (in.next()) {
			if (in.tag() == field::Line::function_id)
				id = number(in);
			else if (in.tag() == field::Line::line)
				one.line = signed_number(in);
			else
				in.skip();
		}
		one.function = look_up(function_ids_, id, "a function is missing");
		return one;
	}

	void location(View view)
	{
		protozero::pbf_message<field::Location> in(view);
		Location one;
		uint64_t id = 0;
		uint64_t mapping_id = 0;

		take(sizeof(one) + node_bytes);
		while (in.next()) {
			switch (in.tag()) {
			case field::Location::id: id = number(in); break;
			case field::Location::mapping_id: mapping_id = number(in); break;
			case field::Location::address: one.address = number(in); break;
			case field::Location::line:
				take(sizeof(Line));
				one.lines.push_back(line(bytes(in)));
				break;
			default: in.skip();
			}
		}
		if (mapping_id)
			one.mapping = look_up(mapping_ids_, mapping_id, "a mapping is missing");
		location_ids_.add(id, profile_.locations.size());
		profile_.locations.push_back(std::move(one));
	}

	/* Lists of numbers may be packed or not; int64 is encoded like uint64. */
	template <typename Message> void append_numbers(Message &in, std::vector<uint64_t> &list)
	{
		if (in.wire_type() != protozero::pbf_wire_type::length_delimited) {
			take(sizeof(uint64_t));
			list.push_back(number(in));
			return;
		}
		for (const uint64_t one : in.get_packed_uint64()) {
			take(sizeof(uint64_t));
			list.push_back(one);
		}
	}

	Label label(View view)
	{
		protozero::pbf_message<field::Label> in(view);
		Label one;

		take(sizeof(one));
		while (in.next()) {
			switch (in.tag()) {
			case field::Label::key: one.key = text(signed_number(in)); break;
			case field::Label::str: one.text = text(signed_number(in)); break;
			case field::Label::num: one.number = signed_number(in); break;
			case field::Label::num_unit: one.unit = text(signed_number(in)); break;
			default: in.skip();
			}
		}
		return one;
	}

	void sample(View view)
	{
		protozero::pbf_message<field::Sample> in(view);
		Sample &one = profile_.samples.emplace_back();

		take(sizeof(one) + node_bytes);
		ids_.clear();
		values_.clear();
		labels_.clear();
		while (in.next()) {
			if (in.tag() == field::Sample::location_id)
				append_numbers(in, ids_);
			else if (in.tag() == field::Sample::value)
				append_numbers(in, values_);
			else if (in.tag() == field::Sample::label)
				labels_.push_back(bytes(in));
			else
				in.skip();
		}
		if (values_.size() != profile_.sample_types.size())
			throw Malformed("a sample has more or fewer values than there are types");
		one.locations.reserve(ids_.size());
		for (const uint64_t id : ids_)
			one.locations.push_back(look_up(location_ids_, id, "a location is missing"));
		one.values.assign(values_.begin(), values_.end());
		one.labels = current_labels();
	}

	/* Most samples have the same labels as the sample before. */
	const Labels &current_labels()
	{
		if (labels_ != shared_views_) {
			std::vector<Label> all;

			all.reserve(labels_.size());
			for (const View &view : labels_)
				all.push_back(label(view));
			shared_ = std::move(all);
			shared_views_ = labels_;
		}
		return shared_;
	}

	void about()
	{
		Reader in(content_.data(), content_.size());
		std::vector<uint64_t> comments;

		while (in.next()) {
			switch (in.tag()) {
			case field::Profile::sample_type:
				take(sizeof(ValueType));
				profile_.sample_types.push_back(value_type(bytes(in)));
				break;
			case field::Profile::time_nanos: profile_.time_nanos = signed_number(in); break;
			case field::Profile::duration_nanos:
				profile_.duration_nanos = signed_number(in);
				break;
			case field::Profile::period_type: profile_.period_type = value_type(bytes(in)); break;
			case field::Profile::period: profile_.period = signed_number(in); break;
			case field::Profile::comment: append_numbers(in, comments); break;
			case field::Profile::default_sample_type:
				profile_.default_sample_type = text(signed_number(in));
				break;
			default: in.skip();
			}
		}
		take(comments.size() * sizeof(std::string));
		for (const uint64_t comment : comments)
			profile_.comments.push_back(text(static_cast<int64_t>(comment)));
	}

	std::string_view content_;
	std::array<List, 7> lists_; /**< by tag, up to the string table's */
	Profile profile_;
	size_t left_; /* bytes that the profile may still use */
	std::vector<std::string_view> strings_;
	Index mapping_ids_;
	Index function_ids_;
	Index location_ids_;
	std::vector<uint64_t> ids_; /**< ids in the current sample, like values_ and labels_ */
	std::vector<uint64_t> values_;
	std::vector<View> labels_;
	Labels shared_; /**< the labels of the sample before */
	std::vector<View> shared_views_;
};

Result<Profile> decode_plain(std::string_view content, size_t most_memory)
{
	try {
		Profile profile = Decoder(content, most_memory).decode();

		if (profile.sample_types.empty())
			return Error{"the file has no sample types (is it a pprof profile?)"};
		return profile;
	} catch (const TooLarge &) {
		return Error{"the file is too large: decoded, it needs more than " + bytes_text(most_memory)};
	} catch (const Malformed &error) {
		return Error{std::string("not a valid pprof profile: ") + error.what()};
	} catch (const protozero::exception &) {
		/* protozero's texts are only the names of its exceptions. */
		return Error{"not a pprof profile, or truncated ('profil record' writes such files)"};
	}
}

} // namespace

Result<Profile> decode_pprof(std::string_view content, PprofLimits limits)
{
	if (!is_gzip(content))
		return decode_plain(content, limits.decoded);

	const Result<std::string> plain = decompress(content, limits.unpacked);

	if (!plain)
		return plain.error();
	return decode_plain(*plain, limits.decoded);
}

} // namespace cli
