# SPDX-License-Identifier: BSD-2-Clause
# The sources of pvh/. The head of the image for Linux's loaders is assembled on its own.
PVH_SETUP := pvh/setup.S
PVH_SRCS := $(filter-out $(PVH_SETUP),$(sort $(wildcard pvh/*.c pvh/*.S)))
