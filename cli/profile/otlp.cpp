// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/otlp.h"

#include "cli/base/characters.h"
#include "cli/profile/otlp_fields.h"
#include "profil.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_message.hpp>
#include <tuple>

namespace cli {
namespace {

namespace wire = cli::field::otlp;

using Index = int32_t;

/** A table that holds each message once.  Index 0, "not set", is the zero value of the message. */
class Table {
public:
	Table() { index({}); }

	Index index(const std::string &message)
	{
		const auto [found, fresh] = indices_.try_emplace(message, static_cast<Index>(order_.size()));

		if (fresh)
			order_.push_back(&found->first);
		return found->second;
	}

	template <typename Builder, typename Tag> void write(Builder &out, Tag tag) const
	{
		for (const std::string *message : order_)
			out.add_bytes(tag, *message);
	}

private:
	std::map<std::string, Index> indices_;
	std::vector<const std::string *> order_;
};

/** Leaves out 0, which is the default. */
template <typename Message, typename Tag> void add_index(Message &out, Tag tag, Index index)
{
	if (index)
		out.add_int32(tag, index);
}

std::string any_value(const std::variant<std::string, int64_t> &value)
{
	std::string message;
	protozero::pbf_builder<wire::AnyValue> out(message);

	if (const auto *text = std::get_if<std::string>(&value))
		out.add_string(wire::AnyValue::string_value, *text);
	else
		out.add_int64(wire::AnyValue::int_value, std::get<int64_t>(value));
	return message;
}

/** The 16 bytes of a UUID; empty for any other text. */
std::string id_bytes(std::string_view uuid)
{
	std::string bytes;
	unsigned digits = 0;
	unsigned byte = 0;

	for (const char c : uuid) {
		const unsigned value = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
				       : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
							      : 16;

		if (value > 15)
			continue;
		byte = byte << 4 | value;
		if (++digits % 2 == 0) {
			bytes += static_cast<char>(byte);
			byte = 0;
		}
	}
	return bytes.size() == 16 ? bytes : "";
}

class Encoder {
public:
	std::string encode(std::span<const OtlpResource> resources)
	{
		std::string message;
		protozero::pbf_builder<wire::ProfilesData> out(message);

		for (const OtlpResource &resource : resources)
			out.add_message(wire::ProfilesData::resource_profiles, resource_profiles(resource));
		out.add_message(wire::ProfilesData::dictionary, dictionary());
		return message;
	}

private:
	std::string resource_profiles(const OtlpResource &resource)
	{
		std::string message;
		protozero::pbf_builder<wire::ResourceProfiles> out(message);

		{
			protozero::pbf_builder<wire::Resource> about(out, wire::ResourceProfiles::resource);

			for (const OtlpAttribute &attribute : resource.attributes) {
				protozero::pbf_builder<wire::KeyValue> pair(about,
									    wire::Resource::attributes);

				pair.add_string(wire::KeyValue::key, attribute.name);
				pair.add_message(wire::KeyValue::value, any_value(attribute.value));
			}
		}
		protozero::pbf_builder<wire::ScopeProfiles> scope(out,
								  wire::ResourceProfiles::scope_profiles);
		{
			protozero::pbf_builder<wire::Scope> about(scope, wire::ScopeProfiles::scope);

			about.add_string(wire::Scope::name, "profil");
			about.add_string(wire::Scope::version, profil_version());
		}
		places_.assign(resource.profile->locations.size(), -1);
		if (resource.values.empty())
			scope.add_message(wire::ScopeProfiles::profiles, samples(resource));
		for (size_t i = 0; i < resource.values.size(); i++)
			scope.add_message(wire::ScopeProfiles::profiles,
					  values(resource, resource.values[i], i ? "" : resource.id));
		return message;
	}

	std::string samples(const OtlpResource &resource)
	{
		const cli::Profile &profile = *resource.profile;

		return this->profile(profile, samples_index(profile), {profile.period_type, profile.period},
				     resource.id, true);
	}

	/** Leaves out samples where this value is 0: most have values for only some events. */
	std::string values(const OtlpResource &resource, const OtlpValue &value, const std::string &id)
	{
		return profile(*resource.profile, value.type,
			       {resource.profile->sample_types[value.type], value.period}, id, false);
	}

	std::string profile(const cli::Profile &profile, size_t index,
			    const std::pair<cli::ValueType, int64_t> &period, const std::string &id,
			    bool zeros)
	{
		std::string message;
		protozero::pbf_builder<wire::Profile> out(message);

		if (index < profile.sample_types.size())
			out.add_message(wire::Profile::sample_type, value_type(profile.sample_types[index]));
		for (const cli::Sample &sample : profile.samples) {
			const int64_t value = sample.values[index];

			if (!value && !zeros)
				continue;

			protozero::pbf_builder<wire::Sample> one(out, wire::Profile::samples);

			add_index(one, wire::Sample::stack_index, stack(profile, sample));
			one.add_packed_int64(wire::Sample::values, &value, &value + 1);
		}
		if (profile.time_nanos > 0)
			out.add_fixed64(wire::Profile::time_unix_nano,
					static_cast<uint64_t>(profile.time_nanos));
		if (profile.duration_nanos > 0)
			out.add_uint64(wire::Profile::duration_nano,
				       static_cast<uint64_t>(profile.duration_nanos));
		out.add_message(wire::Profile::period_type, value_type(period.first));
		out.add_int64(wire::Profile::period, period.second);
		if (const std::string bytes = id_bytes(id); !bytes.empty())
			out.add_bytes(wire::Profile::profile_id, bytes);
		return message;
	}

	std::string value_type(const cli::ValueType &type)
	{
		std::string message;
		protozero::pbf_builder<wire::ValueType> out(message);

		add_index(out, wire::ValueType::type_strindex, text(type.type));
		add_index(out, wire::ValueType::unit_strindex, text(type.unit));
		return message;
	}

	/* OTLP's strings are UTF-8, and a parser refuses others. */
	Index text(std::string_view text) { return strings_.index(printable(text)); }

	Index stack(const cli::Profile &profile, const cli::Sample &sample)
	{
		std::vector<Index> indices;
		std::string message;
		protozero::pbf_builder<wire::Stack> out(message);

		for (const size_t place : sample.locations)
			indices.push_back(location(profile, place));
		out.add_packed_int32(wire::Stack::location_indices, indices.begin(), indices.end());
		return stacks_.index(message);
	}

	Index location(const cli::Profile &profile, size_t place)
	{
		if (places_[place] >= 0)
			return places_[place];

		const cli::Location &location = profile.locations[place];
		std::string message;
		protozero::pbf_builder<wire::Location> out(message);

		if (location.mapping)
			add_index(out, wire::Location::mapping_index,
				  mapping(profile.mappings[*location.mapping]));
		out.add_uint64(wire::Location::address, location.address);
		for (const cli::Line &line : location.lines) {
			protozero::pbf_builder<wire::Line> one(out, wire::Location::lines);

			add_index(one, wire::Line::function_index,
				  function(profile.functions[line.function]));
			if (line.line > 0)
				one.add_int64(wire::Line::line, line.line);
		}
		return places_[place] = locations_.index(message);
	}

	Index mapping(const ProfileMapping &mapping)
	{
		std::string message;
		protozero::pbf_builder<wire::Mapping> out(message);

		out.add_uint64(wire::Mapping::memory_start, mapping.start);
		out.add_uint64(wire::Mapping::memory_limit, mapping.limit);
		out.add_uint64(wire::Mapping::file_offset, mapping.offset);
		add_index(out, wire::Mapping::filename_strindex, text(mapping.filename));
		if (!mapping.build_id.empty()) {
			const Index index =
				attribute("process.executable.build_id.gnu", printable(mapping.build_id));

			out.add_packed_int32(wire::Mapping::attribute_indices, &index, &index + 1);
		}
		return mappings_.index(message);
	}

	Index function(const cli::Function &function)
	{
		std::string message;
		protozero::pbf_builder<wire::Function> out(message);

		add_index(out, wire::Function::name_strindex, text(function.name));
		add_index(out, wire::Function::system_name_strindex, text(function.system_name));
		add_index(out, wire::Function::filename_strindex, text(function.filename));
		if (function.start_line > 0)
			out.add_int64(wire::Function::start_line, function.start_line);
		return functions_.index(message);
	}

	Index attribute(std::string_view name, const std::string &value)
	{
		std::string message;
		protozero::pbf_builder<wire::KeyValueAndUnit> out(message);

		add_index(out, wire::KeyValueAndUnit::key_strindex, text(name));
		out.add_message(wire::KeyValueAndUnit::value, any_value(value));
		return attributes_.index(message);
	}

	/* The order in which the tables were filled does not matter. */
	std::string dictionary() const
	{
		std::string message;
		protozero::pbf_builder<wire::Dictionary> out(message);

		mappings_.write(out, wire::Dictionary::mapping_table);
		locations_.write(out, wire::Dictionary::location_table);
		functions_.write(out, wire::Dictionary::function_table);
		out.add_message(wire::Dictionary::link_table, std::string());
		strings_.write(out, wire::Dictionary::string_table);
		attributes_.write(out, wire::Dictionary::attribute_table);
		stacks_.write(out, wire::Dictionary::stack_table);
		return message;
	}

	Table mappings_, locations_, functions_, strings_, attributes_, stacks_;
	std::vector<Index> places_; /* by location of the profile; -1: not in the table yet */
};

} // namespace

std::string encode_otlp(std::span<const OtlpResource> resources)
{
	return Encoder().encode(resources);
}

std::string otlp_refusal(std::string_view answer)
{
	int64_t rejected = 0;
	std::string why;

	try {
		protozero::pbf_message<wire::Response> in(answer.data(), answer.size());

		while (in.next(wire::Response::partial_success, protozero::pbf_wire_type::length_delimited)) {
			protozero::pbf_message<wire::PartialSuccess> partial(in.get_message());

			while (partial.next()) {
				switch (partial.tag_and_type()) {
				case protozero::tag_and_type(wire::PartialSuccess::rejected_profiles,
							     protozero::pbf_wire_type::varint):
					rejected = partial.get_int64();
					break;
				case protozero::tag_and_type(wire::PartialSuccess::error_message,
							     protozero::pbf_wire_type::length_delimited):
					why = partial.get_string();
					break;
				default: partial.skip();
				}
			}
		}
	} catch (const protozero::exception &) {
		return "the answer is not OTLP (is it an OTLP server? See --format)";
	}
	return rejected ? fmt::format("{} profiles were rejected: {}", rejected, why) : "";
}

} // namespace cli
