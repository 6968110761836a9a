# SPDX-License-Identifier: BSD-2-Clause
# The sources of host/.
HOST_SRCS := $(sort $(wildcard host/*.c))
