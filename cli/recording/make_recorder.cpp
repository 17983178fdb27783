// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/make_recorder.h"

#include "cli/recording/space_recorder.h"
#include "cli/recording/text_recorder.h"

namespace cli {

/* Records by file, unless the settings ask for something that the module's recordings lack. */
std::unique_ptr<Recorder> make_recorder(Session session, const RecorderSettings &settings,
					const profil_info &info, RecorderLog &log)
{
	const bool by_file = info.features & PROFIL_FEATURE_RECORD && settings.kernel != KernelTime::AtCall &&
			     !settings.threads;

	if (by_file)
		return std::make_unique<TextRecorder>(std::move(session), settings, log);
	if (settings.per_thread)
		log.warn("--per-thread needs a newer module: samples are not added up by thread");
	return std::make_unique<SpaceRecorder>(std::move(session), settings, log);
}

} // namespace cli
