# SPDX-License-Identifier: BSD-2-Clause
# The sources of drivers/.
DRIVER_SRCS := $(sort $(wildcard drivers/*.c))
