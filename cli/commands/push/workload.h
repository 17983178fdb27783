// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/workload.h  The systemd unit, container and pod of a cgroup. */
#pragma once

#include "cli/commands/push/labels.h"

#include <string_view>

namespace cli {

/**
 * The labels that a cgroup's path shows; other labels are left out:
 *
 *   unit          "nginx.service": the innermost service or scope of systemd(1)
 *   container_id  64 hexadecimal digits, as Docker, containerd, CRI-O and Podman name them
 *   pod           the UID of a Kubernetes pod, whose name the path does not contain
 *
 * The scope of a container does not count as a unit.
 * @param path as in proc_pid_cgroup(5).
 */
PushLabels workload_labels(std::string_view path);

} // namespace cli
