# SPDX-License-Identifier: BSD-2-Clause
# The sources of arch/.
arch-srcs = $(sort $(wildcard arch/*.c $(foreach suffix,c S,arch/$(1)/*.$(suffix) \
	arch/$(1)/*/*.$(suffix))))
ARCH_SRCS := $(call arch-srcs,$(ARCH))
