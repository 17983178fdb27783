// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/workload.h  What a cgroup belongs to: a systemd unit, a container, a pod. */
#pragma once

#include "cli/commands/push/labels.h"

#include <string_view>

namespace cli {

/**
 * The labels that follow from the path of a cgroup; those that it does not show are left out:
 *
 *   unit          "nginx.service": the innermost service or scope of systemd(1)
 *   container_id  64 hexadecimal digits, as Docker, containerd, CRI-O and Podman name them
 *   pod           the UID of a Kubernetes pod; the path does not have its name
 *
 * The scope of a container does not count as a unit.
 * @param path as in proc_pid_cgroup(5).
 */
PushLabels workload_labels(std::string_view path);

} // namespace cli
