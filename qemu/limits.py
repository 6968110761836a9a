# SPDX-License-Identifier: BSD-2-Clause
"""How long a run may take, in the guest's own seconds (patience.py): limits, not expectations."""
import re

BOOT = {
    "plain": 240, "plain13": 240, "smm": 600, "ia32": 600, "secure": 600, "uboot": 240,
    "aarch64": 240,
    "uboot-aarch64": 240, "uboot-monitor": 240, "uboot-tfa": 240, "aarch64-secure": 240,
}
PER_CPU = 1.0  # every virtual CPU shares the host's few
SLACK = 60
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}
DEFAULT_DURATION = 60
DURATION = re.compile(r"(?:^|\s)duration=(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)(?=\s|$)")


def duration(config):
    """Seconds of `duration` in a configuration; the default where the probe will refuse it."""
    found = DEFAULT_DURATION
    for number, unit in DURATION.findall(config):
        found = float(number) * UNITS[unit]
    return found


def stages(config):
    lists = re.findall(r"(?:^|\s)stages=(\S+)", config)
    return lists[-1].count(",") + 1 if lists else 1


def slowdown(machine):
    """Wall seconds per second of measuring; icount runs some 20 million instructions a second."""
    return 2 if machine.icount is None else 2 + 60 / 2**machine.icount


def boot(machine):
    """Until the first output of the probe."""
    return BOOT[machine.firmware] + PER_CPU * machine.smp


def whole(machine, config):
    """Until QEMU has gone."""
    measuring = duration(config) * stages(config) * slowdown(machine)
    return boot(machine) + SLACK + PER_CPU * machine.smp + measuring
