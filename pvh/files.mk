# SPDX-License-Identifier: BSD-2-Clause
# The sources of pvh/.
PVH_SRCS := $(sort $(wildcard pvh/*.c pvh/*.S))
