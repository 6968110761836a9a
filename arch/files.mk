# SPDX-License-Identifier: BSD-2-Clause
# The sources of arch/.
arch-srcs = $(sort $(wildcard arch/*.c arch/$(1)/*.c arch/$(1)/*/*.c arch/$(1)/*.S))
ARCH_SRCS := $(call arch-srcs,$(ARCH))
