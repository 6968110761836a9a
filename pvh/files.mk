# SPDX-License-Identifier: BSD-2-Clause
# The sources of pvh/, and those of a processor. The head of the image for x86's loaders of Linux is
# assembled on its own.
PVH_SETUP := pvh/x86_64/setup.S
PVH_SRCS := $(filter-out $(PVH_SETUP),$(sort $(wildcard pvh/*.c pvh/$(ARCH)/*.c pvh/$(ARCH)/*.S)))
