# SPDX-License-Identifier: BSD-2-Clause
# The sources of probe/.
PROBE_SRCS := $(sort $(wildcard probe/*.c probe/*/*.c))
