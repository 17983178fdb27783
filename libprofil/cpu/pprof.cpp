// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/cpu/pprof.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <profil.h>
#include <unistd.h>

namespace libprofil {
namespace {

/* Field numbers of profile.proto. */
enum ProfileField : unsigned {
	sample_type = 1,
	sample = 2,
	mapping = 3,
	location = 4,
	function = 5,
	string_table = 6,
	time_nanos = 9,
	duration_nanos = 10,
	period_type = 11,
	period = 12,
	comment = 13,
	default_sample_type = 14
};
enum ValueTypeField : unsigned { type = 1, unit = 2 };
enum SampleField : unsigned { location_id = 1, value = 2 };
enum MappingField : unsigned {
	mapping_number = 1,
	memory_start = 2,
	memory_limit = 3,
	file_offset = 4,
	filename = 5,
	build_id = 6,
	has_functions = 7
};
enum LocationField : unsigned { location_number = 1, mapping_id = 2, address = 3, line = 4 };
enum LineField : unsigned { function_id = 1 };
enum FunctionField : unsigned { function_number = 1, function_name = 2 };

/* What is not in a file's segment lies in a mapping of all offsets. */
constexpr uint64_t all_offsets = uint64_t{1} << PROFIL_COUNT_SHIFT;

class Encoder {
public:
	Encoder(Message &file, const CpuSamples &samples, const CpuTimes &times)
		: file_(file), samples_(samples), times_(times)
	{
	}

	/* The account also has ticks since the samples were taken, and ticks in the kernel apart. */
	bool encode(profil_status account)
	{
		if (!mappings_.reserve(samples_.texts.size() * per_text))
			return false;
		while (mappings_.size() < samples_.texts.size() * per_text)
			mappings_.append(0);
		string("");
		value_type(sample_type, "samples", "count");
		value_type(sample_type, "cpu", "nanoseconds");
		add_program();
		for (const Place &place : samples_.counts.all()) {
			if (place.count)
				add(place);
		}
		account.ticks += counted_ - account.counted - account.kernel;
		account.counted = counted_;
		file_.number(time_nanos, times_.begun);
		file_.number(duration_nanos, times_.duration);
		value_type(period_type, "cpu", "nanoseconds");
		file_.number(period, times_.period);
		comments(account);
		file_.number(default_sample_type, string("cpu"));
		return file_.complete() && inner_.complete();
	}

private:
	/* A mapping for each segment, and one for what is in no segment. */
	static constexpr size_t per_text = Elf::most_segments + 1;

	/* Readers refuse the whole file if one name is not UTF-8: then keep only its ASCII. */
	static bool is_utf8(std::string_view text)
	{
		for (size_t at = 0; at < text.size();) {
			const auto lead = static_cast<unsigned char>(text[at++]);
			const int more = lead < 0x80		       ? 0
					 : lead >= 0xc2 && lead < 0xe0 ? 1
					 : lead >= 0xe0 && lead < 0xf0 ? 2
					 : lead >= 0xf0 && lead < 0xf5 ? 3
								       : -1;

			const auto next = static_cast<unsigned char>(at < text.size() ? text[at] : 0);

			/* Longer than needed, a surrogate, or beyond the last character. */
			if (more < 0 || (lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f) ||
			    (lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f))
				return false;
			for (int i = 0; i < more; i++) {
				if (at == text.size() || (text[at++] & 0xc0) != 0x80)
					return false;
			}
		}
		return true;
	}

	uint64_t string(std::string_view text)
	{
		char ascii[PATH_MAX + 64];
		size_t nr = 0;

		if (is_utf8(text)) {
			file_.text(string_table, text);
			return strings_++;
		}
		for (; nr < text.size() && nr < sizeof ascii; nr++)
			ascii[nr] = text[nr] & 0x80 ? '?' : text[nr];
		file_.text(string_table, {ascii, nr});
		return strings_++;
	}

	void value_type(ProfileField field, const char *what, const char *in)
	{
		const uint64_t what_number = string(what), in_number = string(in);

		inner_.begin();
		inner_.number(type, what_number);
		inner_.number(unit, in_number);
		file_.message(field, inner_);
	}

	uint64_t hex_of(const Elf &elf)
	{
		char digits[2 * Elf::most_id + 1] = {};

		for (unsigned i = 0; i < elf.id_bytes; i++)
			snprintf(digits + size_t{2} * i, 3, "%02x", elf.id[i]);
		return elf.id_bytes ? string(digits) : 0;
	}

	/** The mapping of a place; the first place in it writes it. */
	uint32_t mapping_of(uint32_t number, const CodeText &text, const CodeSegment *segment)
	{
		uint32_t &id =
			mappings_[number * per_text + (segment ? segment - text.elf.segment : per_text - 1)];

		if (id)
			return id;
		id = ++nr_mappings_;

		const uint64_t start = segment ? segment->address : text.base;
		const uint64_t name = string(samples_.texts.name(text)), digits = hex_of(text.elf);

		inner_.begin();
		inner_.number(mapping_number, id);
		inner_.number(memory_start, start);
		inner_.number(memory_limit, start + (segment ? segment->bytes : all_offsets));
		inner_.number(file_offset, segment ? segment->offset : 0);
		inner_.number(filename, name);
		inner_.number(build_id, digits);
		inner_.number(has_functions, text.kind == PROFIL_KIND_KERNEL);
		file_.message(mapping, inner_);
		return id;
	}

	/** Readers take the first mapping for that of the program. */
	void add_program()
	{
		char path[PATH_MAX];
		const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path);

		for (size_t i = 0; bytes > 0 && i < samples_.texts.size(); i++) {
			const CodeText &text = samples_.texts[i];

			if (samples_.texts.name(text) == std::string_view(path, static_cast<size_t>(bytes)))
				(void)mapping_of(static_cast<uint32_t>(i), text,
						 text.elf.nr_segments ? text.elf.segment : nullptr);
		}
	}

	/** The kernel is one function: where its time goes is not for every user to see. */
	uint64_t kernel_function()
	{
		if (kernel_)
			return kernel_;
		kernel_ = 1;

		const uint64_t name = string("[kernel]");

		inner_.begin();
		inner_.number(function_number, kernel_);
		inner_.number(function_name, name);
		file_.message(function, inner_);
		return kernel_;
	}

	void add(const Place &place)
	{
		const uint32_t number = Counts::text_of(place);
		const CodeText &text = samples_.texts[number];
		const uint64_t offset = Counts::offset_of(place);
		const CodeSegment *const segment = segment_of(text, offset);
		const uint32_t in = mapping_of(number, text, segment);
		const uint64_t id = ++nr_locations_;
		const uint64_t name = text.kind == PROFIL_KIND_KERNEL ? kernel_function() : 0;

		line_.begin();
		line_.number(function_id, name);
		inner_.begin();
		inner_.number(location_number, id);
		inner_.number(mapping_id, in);
		inner_.number(address,
			      segment ? segment->address + offset - segment->offset : text.base + offset);
		if (name)
			inner_.message(line, line_);
		file_.message(location, inner_);
		inner_.begin();
		inner_.number(location_id, id);
		inner_.always(value, place.count);
		inner_.always(value, place.count * times_.period);
		file_.message(sample, inner_);
		counted_ += place.count;
	}

	void comments(const profil_status &account)
	{
		const struct {
			const char *key;
			uint64_t ticks;
		} causes[] = {
			{"counted", account.counted},
			{"outside", account.outside},
			{"saturated", account.saturated},
			{"no_user_pc", account.no_user_pc},
			{"off", account.off},
			{"lost_late", account.lost_late},
			{"lost_contended", account.lost_contended},
			{"lost_full", account.lost_full},
			{"forks_lost", account.forks_lost},
		};

		say("version", PROFIL_VERSION);
		say("target", program_invocation_short_name, getpid());
		say("processes", account.joined);
		say("ticks", account.ticks);
		for (const auto &cause : causes) {
			if (cause.ticks)
				say(cause.key, cause.ticks);
		}
		/* Whoever reads the file finds names and lines in the objects. */
		for (size_t i = 0; i < samples_.texts.size(); i++) {
			if (samples_.texts[i].elf.nr_segments)
				later(samples_.texts.name(samples_.texts[i]));
		}
	}

	void say(const char *key, const char *text, pid_t pid = 0)
	{
		char line[256];

		if (pid)
			snprintf(line, sizeof line, "profil.%s: %s (pid %d)", key, text, pid);
		else
			snprintf(line, sizeof line, "profil.%s: %s", key, text);
		file_.always(comment, string(line));
	}
	void say(const char *key, uint64_t number)
	{
		char digits[24];

		snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(number));
		say(key, digits);
	}
	void later(std::string_view path)
	{
		char line[PATH_MAX + 64];
		const int nr = snprintf(line, sizeof line, "profil.lines_later: %.*s",
					static_cast<int>(path.size()), path.data());

		file_.always(comment, string({line, static_cast<size_t>(nr)}));
	}

	Message &file_;
	Message inner_, line_;
	const CpuSamples &samples_;
	const CpuTimes &times_;
	Growing<uint32_t> mappings_; /**< their ids, by text and segment; 0: not written yet */
	uint32_t nr_mappings_ = 0;
	uint64_t kernel_ = 0; /**< the number of its function; 0: not written yet */
	uint64_t nr_locations_ = 0;
	uint64_t counted_ = 0; /**< samples in the file */
	uint64_t strings_ = 0;
};

} // namespace

bool encode_pprof(Message &file, const CpuSamples &samples, const profil_status &account,
		  const CpuTimes &times)
{
	return Encoder(file, samples, times).encode(account);
}

} // namespace libprofil
