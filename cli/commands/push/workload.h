// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/workload.h  What a cgroup is of: a unit of systemd, a container, a pod. */
#pragma once

#include "cli/commands/push/labels.h"

#include <string_view>

namespace cli {

/**
 * The labels that the path of a cgroup says something about, without those that are not known:
 *
 *   unit          "nginx.service": the innermost service or scope of systemd(1)
 *   container_id  64 hexadecimal digits, as Docker, containerd, CRI-O and Podman name them
 *   pod           the UID of a pod of Kubernetes, which alone is in the path
 *
 * The scope of a container is no unit of its own.
 * @param path as in proc_pid_cgroup(5).
 */
PushLabels workload_labels(std::string_view path);

} // namespace cli
