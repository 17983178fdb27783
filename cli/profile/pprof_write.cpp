// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/base/gzip.h"
#include "cli/profile/pprof.h"
#include "cli/profile/pprof_fields.h"

#include <protozero/pbf_builder.hpp>
#include <string_view>
#include <unordered_map>

namespace cli {
namespace {

/** Numbers strings; 0 is the empty string.  Points into the profile. */
class StringTable {
public:
	StringTable() { number(""); }

	int64_t number(std::string_view text)
	{
		const auto [place, fresh] = numbers_.try_emplace(text, static_cast<int64_t>(numbers_.size()));

		if (fresh)
			order_.push_back(text);
		return place->second;
	}

	[[nodiscard]] const std::vector<std::string_view> &all() const { return order_; }

private:
	std::unordered_map<std::string_view, int64_t> numbers_;
	std::vector<std::string_view> order_;
};

/** Leaves out 0, which is the same as a missing field. */
template <typename Message, typename Tag> void put(Message &out, Tag tag, int64_t number)
{
	if (number)
		out.add_int64(tag, number);
}

/** In pprof, ids start at 1; 0 means none. */
uint64_t id(size_t index)
{
	return index + 1;
}

class Encoder {
public:
	explicit Encoder(const Profile &profile) : profile_(profile), message_(buffer_) {}

	std::string encode()
	{
		for (const ValueType &type : profile_.sample_types)
			value_type(field::Profile::sample_type, type);
		for (const Sample &one : profile_.samples)
			sample(one);
		for (size_t i = 0; i < profile_.mappings.size(); i++)
			mapping(id(i), profile_.mappings[i]);
		for (size_t i = 0; i < profile_.locations.size(); i++)
			location(id(i), profile_.locations[i]);
		for (size_t i = 0; i < profile_.functions.size(); i++)
			function(id(i), profile_.functions[i]);
		about();
		/* Strict readers refuse the whole file if one name is not UTF-8. */
		for (const std::string_view text : strings_.all())
			message_.add_string(field::Profile::string_table, valid_utf8(text));
		return std::move(buffer_);
	}

private:
	/**
	 * Adds a message that @p fill writes.  A nested builder would reserve room for the longest
	 * length, and move each message once its length is known.  A profile has hundreds of
	 * thousands of messages.
	 */
	template <typename Field, typename Out, typename Tag, typename Fill>
	static void nested(std::string &scratch, Out &out, Tag tag, Fill fill)
	{
		scratch.clear();

		protozero::pbf_builder<Field> inner(scratch);

		fill(inner);
		out.add_message(tag, scratch);
	}

	void value_type(field::Profile tag, const ValueType &type)
	{
		protozero::pbf_builder<field::ValueType> out(message_, tag);

		out.add_int64(field::ValueType::type, strings_.number(type.type));
		out.add_int64(field::ValueType::unit, strings_.number(type.unit));
	}

	/** A sample's labels, encoded as its fields; they are often those of the sample before. */
	const std::string &encoded(const Labels &labels)
	{
		if (labels_.shares(labels))
			return label_fields_;
		labels_ = labels;
		label_fields_.clear();

		protozero::pbf_builder<field::Sample> out(label_fields_);

		for (const Label &one : labels) {
			nested<field::Label>(inner_, out, field::Sample::label, [&](auto &inner) {
				inner.add_int64(field::Label::key, strings_.number(one.key));
				put(inner, field::Label::str, strings_.number(one.text));
				put(inner, field::Label::num, one.number);
				put(inner, field::Label::num_unit, strings_.number(one.unit));
			});
		}
		return label_fields_;
	}

	void sample(const Sample &one)
	{
		nested<field::Sample>(outer_, message_, field::Profile::sample, [&](auto &out) {
			/* Like pprof, do not pack one or two numbers: they are shorter that way. */
			if (one.locations.size() == 1) {
				out.add_uint64(field::Sample::location_id, id(one.locations.front()));
			} else {
				ids_.clear();
				for (const size_t index : one.locations)
					ids_.push_back(id(index));
				out.add_packed_uint64(field::Sample::location_id, ids_.begin(), ids_.end());
			}
			if (one.values.size() <= 2) {
				for (const int64_t value : one.values)
					out.add_int64(field::Sample::value, value);
			} else {
				out.add_packed_int64(field::Sample::value, one.values.begin(),
						     one.values.end());
			}
			if (!one.labels.empty())
				outer_ += encoded(one.labels);
		});
	}

	void mapping(uint64_t number, const ProfileMapping &one)
	{
		protozero::pbf_builder<field::Mapping> out(message_, field::Profile::mapping);

		out.add_uint64(field::Mapping::id, number);
		out.add_uint64(field::Mapping::memory_start, one.start);
		out.add_uint64(field::Mapping::memory_limit, one.limit);
		out.add_uint64(field::Mapping::file_offset, one.offset);
		out.add_int64(field::Mapping::filename, strings_.number(one.filename));
		out.add_int64(field::Mapping::build_id, strings_.number(one.build_id));
		out.add_bool(field::Mapping::has_functions, one.has_functions);
		out.add_bool(field::Mapping::has_filenames, one.has_filenames);
		out.add_bool(field::Mapping::has_line_numbers, one.has_line_numbers);
		out.add_bool(field::Mapping::has_inline_frames, one.has_inline_frames);
	}

	void location(uint64_t number, const Location &one)
	{
		nested<field::Location>(outer_, message_, field::Profile::location, [&](auto &out) {
			out.add_uint64(field::Location::id, number);
			if (one.mapping)
				out.add_uint64(field::Location::mapping_id, id(*one.mapping));
			out.add_uint64(field::Location::address, one.address);
			for (const Line &line : one.lines) {
				nested<field::Line>(inner_, out, field::Location::line, [&](auto &inner) {
					inner.add_uint64(field::Line::function_id, id(line.function));
					put(inner, field::Line::line, line.line);
				});
			}
		});
	}

	void function(uint64_t number, const Function &one)
	{
		protozero::pbf_builder<field::Function> out(message_, field::Profile::function);

		out.add_uint64(field::Function::id, number);
		put(out, field::Function::name, strings_.number(one.name));
		put(out, field::Function::system_name, strings_.number(one.system_name));
		put(out, field::Function::filename, strings_.number(one.filename));
		put(out, field::Function::start_line, one.start_line);
	}

	void about()
	{
		std::vector<int64_t> comments;

		message_.add_int64(field::Profile::time_nanos, profile_.time_nanos);
		message_.add_int64(field::Profile::duration_nanos, profile_.duration_nanos);
		value_type(field::Profile::period_type, profile_.period_type);
		message_.add_int64(field::Profile::period, profile_.period);
		for (const std::string &comment : profile_.comments)
			comments.push_back(strings_.number(comment));
		message_.add_packed_int64(field::Profile::comment, comments.begin(), comments.end());
		message_.add_int64(field::Profile::default_sample_type,
				   strings_.number(profile_.default_sample_type));
	}

	const Profile &profile_;
	StringTable strings_;
	std::string buffer_;
	std::string outer_; /**< the message that is being written */
	std::string inner_; /**< the message nested in it */
	std::vector<uint64_t> ids_;
	Labels labels_;		   /**< the labels of the sample before */
	std::string label_fields_; /**< the same, encoded */
	protozero::pbf_builder<field::Profile> message_;
};

} // namespace

std::string encode_pprof(const Profile &profile)
{
	return compress(Encoder(profile).encode());
}

} // namespace cli
