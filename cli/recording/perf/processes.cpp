// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/perf/processes.h"

#include "cli/process/process.h"
#include "cli/recording/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <utility>

namespace cli {
namespace {

constexpr std::chrono::seconds scan_interval{1};
constexpr uint64_t page = 4096;
constexpr pid_t kthreadd = 2;
/* perf also uses this PID for each process that has no PID in our PID namespace. */
constexpr pid_t idle_task = 0;
constexpr std::string_view anonymous = "//anon";

/* Offsets in a PERF_RECORD_MMAP2, after its header. */
constexpr size_t address_at = 8;
constexpr size_t bytes_at = 16;
constexpr size_t offset_at = 24;
constexpr size_t major_at = 32;
constexpr size_t minor_at = 36;
constexpr size_t inode_at = 40;
constexpr size_t build_id_size_at = 32;
constexpr size_t build_id_at = 36;
constexpr size_t most_build_id = 20;
constexpr size_t path_at = 64;
/* Offset in a PERF_RECORD_COMM. */
constexpr size_t command_at = 8;

std::string build_id_in(const PerfRecord &record)
{
	const size_t size = std::min<size_t>(record.at<uint8_t>(build_id_size_at), most_build_id);
	std::string bytes;

	for (size_t i = 0; i < size; i++)
		bytes += static_cast<char>(record.at<uint8_t>(build_id_at + i));
	return bytes;
}

/* If the first thread of a process has ended, its other threads go on. */
bool has_threads(pid_t pid)
{
	constexpr nlink_t of_directory = 2;
	struct stat tasks = {};

	return !stat(fmt::format("/proc/{}/task", pid).c_str(), &tasks) && tasks.st_nlink > of_directory + 1;
}

} // namespace

void PerfProcesses::tell_apart(bool per_process, bool per_cgroup)
{
	per_process_ = per_process;
	if (per_cgroup)
		cgroups_ = std::make_unique<CgroupPaths>(std::string(cgroup_mount));
}

void PerfProcesses::select(Criteria criteria, bool follow)
{
	filter_ = std::make_unique<OwnerFilter>(std::move(criteria), follow,
						[this](uint32_t owner) { return facts_of(owner); });
}

std::optional<OwnerFacts> PerfProcesses::facts_of(uint32_t owner)
{
	const auto number = process_of_.find(owner);
	const auto process = number == process_of_.end() ? processes_.end() : processes_.find(number->second);

	/* The process is forgotten, or it has executed another program since. */
	if (process == processes_.end() || process->second.owner != owner)
		return std::nullopt;

	const bool ended = ended_.contains(number->second);
	Process &known = process->second;
	std::string name = known.name;

	if (const auto now = ended ? std::nullopt : process_facts(number->second)) {
		known.user = now->user;
		name = now->name;
	}
	return OwnerFacts{name, number->second, known.user, known.cgroup, 0, ended};
}

PerfProcesses::Process PerfProcesses::read(pid_t pid)
{
	const std::optional<ProcessFacts> facts = process_facts(pid);
	Process process;

	process.parts = std::make_shared<Process::Parts>();
	/* Neither the idle task of a CPU nor a process outside our PID namespace is in /proc. */
	if (pid == idle_task) {
		process.name = sees_all_pids() ? "swapper" : "outside";
		process.in_kernel = true;
	}
	if (!facts)
		return process;
	process.name = process_name(pid);
	process.user = facts->user;
	process.in_kernel = !facts->has_memory && !facts->zombie;
	if (!process.in_kernel)
		scan(pid, process);
	return process;
}

PerfProcesses::Process &PerfProcesses::at(pid_t pid)
{
	const auto [place, fresh] = processes_.try_emplace(pid);

	if (fresh) {
		place->second = read(pid);
		add_owner(pid, place->second, 0);
	}
	return place->second;
}

/** Give an owner to a process that is new, or has executed another program. */
void PerfProcesses::add_owner(pid_t pid, Process &process, uint32_t parent)
{
	name_program(pid, process);
	if (!filter_)
		return;
	if (const auto own = process_of_.find(process.owner);
	    own != process_of_.end() && own->second == pid) {
		ended_owners_.insert(process.owner);
		process_of_.erase(own);
	}
	process.owner = ++last_owner_;
	process_of_[process.owner] = pid;
	if (!process.in_kernel)
		filter_->add(process.owner, {process.name, pid, process.user, process.cgroup, parent, false});
}

void PerfProcesses::name_program(pid_t pid, Process &process)
{
	const std::string path = process.program_file ? process.program_file->name : "";

	if (process.in_kernel)
		process.program = owners_.number(per_process_ ? pid : 0, kernel_thread_name(process.name));
	else
		process.program = owners_.number(per_process_ ? pid : 0, owner_name(process.name, path),
						 cgroups_ ? cgroups_->path(process.cgroup) : "");
}

void PerfProcesses::set_cgroup(pid_t pid, Process &process, uint64_t cgroup)
{
	if (process.cgroup == cgroup)
		return;
	process.cgroup = cgroup;
	if (cgroups_)
		name_program(pid, process);
}

/** Read a process's mappings from /proc.  If it no longer has any, keep the known ones. */
void PerfProcesses::scan(pid_t pid, Process &process)
{
	const Result<std::vector<Mapping>> mappings = read_maps(pid);
	const std::string path = program_path(pid);

	process.next_scan = Clock::now() + scan_interval;
	if (!mappings || mappings->empty())
		return;
	process.parts = std::make_shared<Process::Parts>();
	process.program_file.reset();
	for (const Mapping &mapping : *mappings) {
		add_part(pid, process, mapping, "");
		if (mapping.name == path && !process.program_file)
			process.program_file = process.parts->at(mapping.start).object;
	}
	if (process.program_file)
		programs_.insert(process.program_file);
}

void PerfProcesses::add_part(pid_t pid, Process &process, const Mapping &mapping, const std::string &build_id)
{
	if (process.parts.use_count() > 1)
		process.parts = std::make_shared<Process::Parts>(*process.parts);

	Process::Parts &parts = *process.parts;
	auto next = parts.lower_bound(mapping.start);

	/* Remove earlier mappings from this range, but keep their parts on either side. */
	if (next != parts.begin()) {
		auto &[start, before] = *std::prev(next);

		if (before.end > mapping.end)
			parts[mapping.end] = {before.end, before.offset + mapping.end - start, before.object};
		before.end = std::min(before.end, mapping.start);
	}
	for (next = parts.lower_bound(mapping.start); next != parts.end() && next->first < mapping.end;
	     next = parts.erase(next)) {
		const auto &[start, after] = *next;

		if (after.end > mapping.end)
			parts[mapping.end] = {after.end, after.offset + mapping.end - start, after.object};
	}

	std::shared_ptr<Object> object = objects_.find(pid, mapping, build_id);

	if (object->jit)
		code_.insert(object);
	parts[mapping.start] = {mapping.end, mapping.offset, std::move(object)};
}

PerfPlace PerfProcesses::find(pid_t pid, Process &process, uint64_t address)
{
	for (;;) {
		const auto after = process.parts->upper_bound(address);
		const auto place = after == process.parts->begin() ? process.parts->end() : std::prev(after);

		if (place != process.parts->end() && address < place->second.end) {
			const auto &[start, part] = *place;

			if (part.object->source == Source::Anonymous)
				return {part.object, address};

			const uint64_t link = part.object->link_address(address - start + part.offset);

			if (part.object->segments.empty() && part.object->source == Source::File)
				part.object->texts.add(
					{link & ~(page - 1), (link & ~(page - 1)) + page, link & ~(page - 1)},
					true);
			return {part.object, link};
		}
		if (Clock::now() < process.next_scan || ended_.contains(pid))
			return {};
		scan(pid, process);
	}
}

void PerfProcesses::distrust()
{
	for (auto &[pid, process] : processes_)
		process.next_scan = {};
}

void PerfProcesses::map(const PerfRecord &record)
{
	const auto pid = static_cast<pid_t>(record.at<uint32_t>(0));
	const std::string_view path = record.text(path_at);
	const bool has_build_id = record.misc() & PERF_RECORD_MISC_MMAP_BUILD_ID;
	const bool is_new = !processes_.contains(pid);

	if (pid == idle_task)
		return;

	Process &process = at(pid);
	Mapping mapping;

	mapping.start = record.at<uint64_t>(address_at);
	mapping.end = mapping.start + record.at<uint64_t>(bytes_at);
	mapping.offset = record.at<uint64_t>(offset_at);
	if (!has_build_id) {
		mapping.device = makedev(record.at<uint32_t>(major_at), record.at<uint32_t>(minor_at));
		mapping.inode = record.at<uint64_t>(inode_at);
	}
	name_mapping(mapping, path == anonymous ? "" : path);
	/* If at() has just read /proc, it has already found this mapping. */
	if (mapping.start >= mapping.end || (is_new && !process.parts->empty()))
		return;
	add_part(pid, process, mapping, has_build_id ? build_id_in(record) : "");
	/* The kernel maps the program before its dynamic linker. */
	if (!process.program_file && mapping.source == Source::File) {
		process.program_file = process.parts->at(mapping.start).object;
		programs_.insert(process.program_file);
	}
}

void PerfProcesses::name(const PerfRecord &record)
{
	const auto pid = static_cast<pid_t>(record.at<uint32_t>(0));
	const auto tid = static_cast<pid_t>(record.at<uint32_t>(4));
	const bool executed = record.misc() & PERF_RECORD_MISC_COMM_EXEC;

	/* In rows, a program keeps the name that it had when it began. */
	if (tid != pid || pid == idle_task)
		return;

	Process &process = at(pid);

	process.name = record.text(command_at);
	if (executed) {
		objects_.forget_memory(pid);
		process.parts = std::make_shared<Process::Parts>();
		process.program_file.reset();
		process.in_kernel = false;
		process.next_scan = Clock::now() + scan_interval;
		add_owner(pid, process, process.owner);
	} else if (process.in_kernel) {
		name_program(pid, process);
	}
}

void PerfProcesses::fork(pid_t child, pid_t parent)
{
	/* A child of a process outside our PID namespace is read from /proc when first seen. */
	if (parent == idle_task)
		return;

	Process copy = at(parent);

	copy.next_scan = {};
	/* A child of a kernel thread is in the kernel, too, until it executes a program. */
	copy.in_kernel = copy.in_kernel || parent == kthreadd;
	ended_.erase(child);
	forget(child);
	add_owner(child, copy, copy.owner);
	processes_.emplace(child, std::move(copy));
}

void PerfProcesses::exit(pid_t pid)
{
	if (pid != idle_task && processes_.contains(pid))
		ended_.insert(pid);
}

void PerfProcesses::forget(pid_t pid)
{
	const auto process = processes_.find(pid);

	if (process == processes_.end())
		return;
	objects_.forget_memory(pid);
	std::erase_if(code_, [pid](const auto &object) { return object->pid == pid; });
	if (filter_)
		ended_owners_.insert(process->second.owner);
	process_of_.erase(process->second.owner);
	processes_.erase(process);
}

void PerfProcesses::look()
{
	for (const std::shared_ptr<Object> &object : code_)
		object->jit->look();
	/* Processes that had ended before the last look get no more samples. */
	for (const pid_t pid : std::exchange(doomed_, {})) {
		if (ended_.contains(pid) && !has_threads(pid)) {
			ended_.erase(pid);
			forget(pid);
		}
	}
	doomed_ = ended_;
	if (filter_ && !ended_owners_.empty())
		filter_->forget(std::exchange(ended_owners_, {}));
}

void PerfProcesses::forget_unused(const Tally &tally)
{
	std::set<uint32_t> kept = tally.owners();

	for (const auto &[pid, process] : processes_)
		kept.insert(process.program);
	owners_.keep_only(kept);
	std::erase_if(programs_, [&](const auto &program) { return !tally.total_of(program); });
	for (const auto &[pid, process] : processes_) {
		if (process.program_file)
			programs_.insert(process.program_file);
	}
	objects_.forget_unused();
}

} // namespace cli
