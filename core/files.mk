# SPDX-License-Identifier: BSD-2-Clause
# The sources of core/.
CORE_SRCS := $(sort $(wildcard core/*/*.c core/*/*/*.c))
