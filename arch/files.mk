# SPDX-License-Identifier: BSD-2-Clause
# The sources of arch/.
ARCH_SRCS := $(sort $(wildcard arch/*.c arch/$(ARCH)/*.c arch/$(ARCH)/*.S))
