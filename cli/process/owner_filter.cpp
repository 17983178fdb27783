// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/owner_filter.h"

#include <fmt/format.h>
#include <unistd.h>

namespace cli {
namespace {

/* The most matching processes that a profile names. */
constexpr size_t most_named = 100;

} // namespace

bool OwnerFilter::criteria_match(const OwnerFacts &facts)
{
	return facts.pid != getpid() && criteria_.match_user(facts.user) &&
	       criteria_.match_name(facts.name) && cgroups_.contains(facts.cgroup);
}

void OwnerFilter::include(Known &known)
{
	known.matched = true;
	if (!std::exchange(known.life->counted, true))
		processes_++;
}

void OwnerFilter::check(Known &known)
{
	const Known *const includes = ancestor(known);

	known.final = known.facts.ended;
	if (includes && includes->matched) {
		include(known);
		return;
	}
	if (!criteria_match(known.facts))
		return;
	include(known);
	if (named_.size() < most_named)
		named_.push_back(fmt::format("{} (pid {})", known.facts.name, known.facts.pid));
}

void OwnerFilter::look_again(uint32_t owner, Known &known)
{
	if (known.final)
		return;

	const uint32_t parent = known.facts.parent;

	if (std::optional<OwnerFacts> facts = look_(owner))
		known.facts = *std::move(facts);
	else
		known.facts.ended = true;
	/* Keep the parent: forget() may have replaced it, and the module still reports the old one. */
	known.facts.parent = parent;
	check(known);
}

void OwnerFilter::add(uint32_t owner, OwnerFacts facts)
{
	const auto parent = known_.find(facts.parent);
	Known known;

	/* exec keeps the PID, fork does not. */
	if (parent != known_.end() && facts.pid && parent->second.facts.pid == facts.pid)
		known.life = parent->second.life;
	else
		known.life = std::make_shared<Life>();
	known.forked = parent != known_.end() && parent->second.life != known.life;
	known.facts = std::move(facts);
	check(known);
	known_.insert_or_assign(owner, std::move(known));
}

OwnerFilter::Known *OwnerFilter::ancestor(const Known &known)
{
	const auto parent = known_.find(known.facts.parent);

	if (parent == known_.end() || parent->second.facts.pid == getpid())
		return nullptr;

	const bool executed = parent->second.life == known.life && !parent->second.forked;

	return follow_ || executed ? &parent->second : nullptr;
}

bool OwnerFilter::matches(uint32_t owner)
{
	const auto place = known_.find(owner);
	std::vector<Known *> line;
	uint32_t number = owner;

	if (place == known_.end() || place->second.facts.pid == getpid())
		return false;
	for (Known *known = &place->second; known; known = ancestor(*known)) {
		if (!known->matched && known->round != round_)
			look_again(number, *known);
		if (known->matched) {
			for (Known *descendant : line)
				include(*descendant);
			return true;
		}
		if (known->round == round_)
			break;
		line.push_back(known);
		number = known->facts.parent;
	}
	for (Known *known : line)
		known->round = round_;
	return false;
}

void OwnerFilter::forget(const std::set<uint32_t> &owners)
{
	begin_round();
	for (auto &[owner, known] : known_) {
		if (!owners.contains(owner) && !owners.contains(known.facts.parent))
			continue;
		/*
		 * Check one last time, because an owner may match through an ancestor that is now
		 * forgotten.
		 */
		(void)matches(owner);
		for (auto parent = known_.find(known.facts.parent);
		     parent != known_.end() && owners.contains(parent->first);
		     parent = known_.find(known.facts.parent))
			known.facts.parent = parent->second.facts.parent;
	}
	std::erase_if(known_, [&](const auto &entry) { return owners.contains(entry.first); });
}

} // namespace cli
