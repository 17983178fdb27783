// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/objects/kernel_objects.h"

#include "cli/base/files.h"
#include "cli/objects/kernel_symbols.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

namespace cli {
namespace {

/* Reading all names takes longer than loading most modules. */
constexpr std::chrono::seconds read_interval{1};
constexpr unsigned generation_shift = 32;
constexpr size_t most_notes = 65536;
/* PROFIL_DESCRIBE gives only this much of a module's name. */
constexpr size_t told_name_bytes = 24;

#ifdef __x86_64__
/* CONFIG_PHYSICAL_START is 16 MiB nearly everywhere; the kernel is moved as a whole. */
constexpr uint64_t linked_text = 0xffffffff81000000;
#endif

/** The build-id in a file of ELF notes. */
std::string build_id_in(const std::string &path)
{
	const Result<std::string> notes = read_file(path, most_notes);
	size_t place = 0;
	Elf64_Nhdr header;

	while (notes && place + sizeof(header) <= notes->size()) {
		std::memcpy(&header, notes->data() + place, sizeof(header));
		place += sizeof(header);

		const size_t content = place + (size_t{header.n_namesz} + 3) / 4 * 4;
		const std::string_view name = std::string_view(*notes).substr(place, header.n_namesz);

		if (content + header.n_descsz > notes->size())
			break;
		if (header.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU", 4))
			return notes->substr(content, header.n_descsz);
		place = content + (size_t{header.n_descsz} + 3) / 4 * 4;
	}
	return "";
}

std::shared_ptr<Object> make_object(std::string name)
{
	auto object = std::make_shared<Object>();

	object->name = std::move(name);
	object->source = Source::Kernel;
	return object;
}

std::string object_name(std::string_view module)
{
	return fmt::format("[{}]", module);
}

std::shared_ptr<const KernelText> text_of(std::shared_ptr<const KernelSymbols> symbols,
					  std::string_view module, uint64_t shift)
{
	return std::make_shared<KernelText>(KernelText{std::move(symbols), std::string(module), shift});
}

} // namespace

std::string_view KernelText::name_at(uint64_t address) const
{
	const auto found = address && symbols ? symbols->find(address + shift) : std::nullopt;

	return found && found->module == module ? found->name : std::string_view();
}

std::string kernel_build_id()
{
	return build_id_in("/sys/kernel/notes");
}

std::string module_build_id(std::string_view module)
{
	return build_id_in(fmt::format("/sys/module/{}/notes/.note.gnu.build-id", module));
}

uint64_t kernel_shift([[maybe_unused]] const KernelSymbols &symbols)
{
#ifdef __x86_64__
	return symbols.text() - linked_text;
#else
	return 0;
#endif
}

KernelObjects::KernelObjects() : kernel_(make_object(std::string(kernel_name)))
{
	kernel_->kernel = text_of(nullptr, "", 0);
}

void KernelObjects::read()
{
	symbols_ = std::make_shared<KernelSymbols>(KernelSymbols::read());
}

void KernelObjects::begin(uint64_t base)
{
	if (!base)
		return;
	if (!symbols_)
		read();
	if (!symbols_->known())
		return;
	base_ = base;
	shift_ = kernel_shift(*symbols_);
	kernel_->kernel = text_of(symbols_, "", shift_);
	kernel_->build_id = kernel_build_id();
	kernel_->texts.add({symbols_->text() - shift_, symbols_->text_end() - shift_, 0}, true);
}

/* All code of the kernel and its modules is within 2 GiB of both ends of the kernel's text. */
void KernelObjects::begin_with_addresses()
{
	constexpr uint64_t reach = uint64_t{1} << 31;

	if (!symbols_)
		read();
	if (symbols_->known())
		begin(symbols_->text() - reach);
}

void KernelObjects::set(uint32_t number, const ModuleLife &life)
{
	const bool fresh = !lives_.contains(number);

	lives_[number] = life;
	if (!base_ || !fresh)
		return;
	complete_name(lives_[number]);
	/* An unloaded module has names only if it was loaded at the beginning. */
	if (life.last != UINT32_MAX)
		symbols_of_[number] = symbols_;
	else
		nameless_.insert(number);
	look();
}

void KernelObjects::look()
{
	const auto now = std::chrono::steady_clock::now();

	if (nameless_.empty() || now < next_read_)
		return;
	read();
	next_read_ = now + read_interval;
	for (const uint32_t number : nameless_) {
		ModuleLife &life = lives_[number];

		if (life.last != UINT32_MAX)
			continue;
		complete_name(life);
		symbols_of_[number] = symbols_;
		build_id_of_[number] = module_build_id(life.name);
		if (const auto object = of_life_.find(number); object != of_life_.end()) {
			object->second->name = object_name(life.name);
			object->second->kernel = text_of(symbols_, life.name, life.base);
		}
	}
	nameless_.clear();
}

/** Complete a name that may have been cut off, from the loaded modules. */
void KernelObjects::complete_name(ModuleLife &life) const
{
	if (life.name.size() != told_name_bytes)
		return;
	if (const LoadedModule *const loaded = symbols_->module_like(life.name, life.base))
		life.name = loaded->name;
}

void KernelObjects::forget(uint32_t number)
{
	lives_.erase(number);
	nameless_.erase(number);
}

/** The module with code at an address in a generation; if there are several, the last loaded. */
const ModuleLife *KernelObjects::life_at(uint64_t address, uint32_t generation, uint32_t &number) const
{
	const ModuleLife *found = nullptr;

	for (const auto &[key, life] : lives_) {
		if (address - life.base >= life.bytes || generation < life.first || life.last < generation ||
		    (found && life.first < found->first))
			continue;
		found = &life;
		number = key;
	}
	return found;
}

KernelPlace KernelObjects::in_life(uint32_t number, const ModuleLife &life, uint64_t address)
{
	std::shared_ptr<Object> &object = of_life_[number];

	if (!object) {
		object = make_object(object_name(life.name));
		object->kernel = text_of(symbols_of_[number], life.name, life.base);
		object->build_id = build_id_of_[number];
		object->texts.add({0, life.bytes, 0}, true);
	}
	return {object, address - life.base};
}

KernelPlace KernelObjects::in_module(std::string_view name, uint64_t address)
{
	auto place = of_module_.find(name);

	if (place == of_module_.end()) {
		const LoadedModule *const loaded = symbols_->module(name);
		Known known = {make_object(object_name(name)), loaded ? loaded->base : 0};

		known.object->kernel = text_of(symbols_, name, known.base);
		known.object->build_id = module_build_id(name);
		if (loaded)
			known.object->texts.add({0, loaded->size, 0}, true);
		place = of_module_.emplace(name, std::move(known)).first;
	}
	return {place->second.object, address - place->second.base};
}

KernelPlace KernelObjects::find(uint64_t offset)
{
	const uint64_t address = base_ + (offset & UINT32_MAX);
	const auto generation = static_cast<uint32_t>(offset >> generation_shift);
	uint32_t number = 0;

	if (!base_ || !offset)
		return nowhere();
	if (address >= symbols_->text() && address < symbols_->text_end())
		return {kernel_, address - shift_};
	if (const ModuleLife *const life = life_at(address, generation, number))
		return in_life(number, *life, address);
	if (const auto function = symbols_->find(address))
		return function->module.empty() ? KernelPlace{kernel_, address - shift_}
						: in_module(function->module, address);
	return nowhere();
}

KernelPlace KernelObjects::find_address(uint64_t address)
{
	const auto now = std::chrono::steady_clock::now();

	if (!base_ || address - base_ > UINT32_MAX)
		return nowhere();

	const KernelPlace place = find(address - base_);

	if (place.address || now < next_read_)
		return place;
	/* A module may have been loaded since. */
	read();
	next_read_ = now + read_interval;
	return symbols_->known() ? find(address - base_) : nowhere();
}

} // namespace cli
