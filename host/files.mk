# SPDX-License-Identifier: BSD-2-Clause
# The sources of host/.
HOST_SRCS := $(sort $(wildcard host/*.c host/*/*.c host/*/*/*.c))
# What `noisefloor inos` takes of arch/: the loop, the clock and CPUID, which need no privilege.
HOST_ARCH_SRCS := arch/calibrate.c arch/probe.c arch/sampling.c \
	$(addprefix arch/$(HOST_ARCH)/,cpu.c crc32c.c identify.c topology.c)
