// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/target_builder.h"

#include "cli/process/process.h"

#include <algorithm>
#include <cerrno>

namespace cli {
namespace {

/* If the counters cannot be pinned, coarser ones are tried in these steps, finally none. */
constexpr unsigned floor_step = 4;
constexpr unsigned no_counters = shift_max + 1;

bool is_want_of_memory(int error)
{
	return error == ENOMEM || error == EDQUOT;
}

} // namespace

/* Half of what is left, so that there is always room for another target. */
Room TargetBuilder::room(uint64_t pinned, unsigned floor) const
{
	if (floor >= no_counters)
		return {0, 0, 0, 0};
	return {settings_.memory > pinned ? (settings_.memory - pinned) / 2 : 0, floor, settings_.regions, 0};
}

/* If we may not see the mappings, we may not attach either, and the module will say why. */
void TargetBuilder::cover(Target &target, Room room)
{
	const Result<std::vector<Mapping>> mappings = read_maps(target.pid);

	if (!mappings || mappings->empty())
		return;
	note_program(target.pid, *mappings);
	if (target.young())
		room.bytes = 0;
	room.owner = target.owner;
	target.coverage.update(target.pid, *mappings, objects_, pool_, room);
}

TargetPointer TargetBuilder::make_target(pid_t pid, bool young)
{
	auto target = std::make_unique<Target>(pid, young);

	if (settings_.threads)
		target->start = program_start(pid);
	if (settings_.per_process)
		target->owner = owners_.number(pid, process_name(pid));
	return target;
}

TargetPointer TargetBuilder::young_target(pid_t pid)
{
	return make_target(pid, true);
}

TargetPointer TargetBuilder::prepare(pid_t pid, bool young, uint64_t pinned)
{
	TargetPointer target = make_target(pid, young);

	cover(*target, room(pinned, 0));
	return target;
}

std::vector<AttachError> TargetBuilder::try_attach(std::span<TargetPointer> targets)
{
	const uint32_t whom = settings_.threads ? PROFIL_THREAD : settings_.follow ? PROFIL_FOLLOW : 0;
	const uint32_t flags = whom | (settings_.kernel == KernelTime::AtCall ? PROFIL_KERNEL_TICKS : 0);
	std::vector<std::vector<profil_region>> regions;
	std::vector<profil_spec> specs;
	std::vector<profil_target> requests(targets.size());
	std::vector<AttachError> errors;

	for (const TargetPointer &target : targets)
		regions.push_back(target->coverage.regions());
	for (size_t i = 0; i < targets.size(); i++)
		specs.push_back(targets[i]->spec(settings_.period, flags, regions[i]));
	for (size_t i = 0; i < targets.size(); i++) {
		requests[i].pid = targets[i]->pid;
		requests[i].spec = &specs[i];
	}

	const ssize_t attached = profil_attach(session_.get(), requests.data(), requests.size());
	const int general = errno;

	for (size_t i = 0; i < targets.size(); i++) {
		errors.push_back(attached < 0 ? AttachError{general, nullptr}
					      : AttachError{requests[i].error, requests[i].step});
		targets[i]->profile = requests[i].profile;
		if (!errors[i].error)
			targets[i]->in_kernel = targets[i]->coverage;
	}
	return errors;
}

AttachError TargetBuilder::attach_coarser(TargetPointer &target, uint64_t pinned)
{
	AttachError error = {ENOMEM, nullptr};

	for (unsigned floor = floor_step; floor <= no_counters && is_want_of_memory(error.error);
	     floor += floor_step) {
		target->coverage = Coverage();
		cover(*target, room(pinned, floor));
		error = try_attach({&target, 1}).front();
	}
	return error;
}

std::vector<AttachError> TargetBuilder::attach(std::span<TargetPointer> targets, uint64_t pinned)
{
	std::vector<AttachError> errors = try_attach(targets);

	for (size_t i = 0; i < targets.size(); i++) {
		if (!errors[i].error)
			pinned += targets[i]->pinned();
	}
	for (size_t i = 0; i < targets.size(); i++) {
		if (!is_want_of_memory(errors[i].error))
			continue;
		errors[i] = attach_coarser(targets[i], pinned);
		if (!errors[i].error)
			pinned += targets[i]->pinned();
	}
	return errors;
}

bool TargetBuilder::set_regions(Target &target)
{
	const std::vector<profil_region> regions = target.coverage.regions();

	if (profil_set_regions(session_.get(), target.profile, regions.data(),
			       static_cast<uint32_t>(regions.size())))
		return false;
	target.in_kernel = target.coverage;
	return true;
}

/*
 * If new counters cannot be pinned, their text gets none, and its PCs are stored raw.
 * The regions must still be set, because text that is no longer mapped must not be
 * counted.  If even that fails, the kernel counts as before, in counters that
 * in_kernel keeps.  The next update tries both again.
 */
void TargetBuilder::update(Target &target, uint64_t pinned)
{
	cover(target, room(pinned, 0));
	if (target.coverage == target.in_kernel || set_regions(target))
		return;
	target.coverage.drop_counters_beyond(target.in_kernel);
	if (target.coverage != target.in_kernel)
		set_regions(target);
}

void TargetBuilder::forget_unused()
{
	/* Only referenced by programs_ and objects_. */
	std::erase_if(programs_,
		      [](const std::shared_ptr<Object> &program) { return program.use_count() <= 2; });
	objects_.forget_unused();
}

void TargetBuilder::note_program(pid_t pid, std::span<const Mapping> mappings)
{
	const std::string path = program_path(pid);
	const auto program = std::find_if(mappings.begin(), mappings.end(), [&](const Mapping &mapping) {
		return mapping.source == Source::File &&
		       (path == mapping.name || path == mapping.name + " (deleted)");
	});

	if (program == mappings.end())
		return;

	const std::shared_ptr<Object> object = objects_.find(pid, *program);

	if (std::find(programs_.begin(), programs_.end(), object) == programs_.end())
		programs_.push_back(object);
}

std::shared_ptr<Object> TargetBuilder::busiest_program(const Tally &tally) const
{
	const auto busiest =
		std::max_element(programs_.begin(), programs_.end(), [&](const auto &a, const auto &b) {
			return tally.total_of(a) < tally.total_of(b);
		});

	return busiest == programs_.end() ? nullptr : *busiest;
}

} // namespace cli
