# SPDX-License-Identifier: BSD-2-Clause
# The sources of host/: those of `noisefloor`, of which `noisefloor-collect` takes what it needs,
# and its own.
COLLECT_SRCS := $(sort $(wildcard host/collect/*.c host/collect/*/*.c))
# The static tool is built without OpenSSL and without SQLite: it has NAME_absent.c for NAME.c, and
# of the fleet what needs no store.
STATIC_SRCS := $(wildcard host/*/*_absent.c)
NOT_STATIC_SRCS := $(STATIC_SRCS:%_absent.c=%.c) \
	$(filter-out $(STATIC_SRCS) host/fleet/fleet.c host/fleet/key.c,\
	$(wildcard host/fleet/*.c host/fleet/store/*.c))
HOST_SRCS := $(filter-out $(COLLECT_SRCS) $(STATIC_SRCS),$(sort $(wildcard host/*.c host/*/*.c \
	host/*/*/*.c)))
# Files of arch/ for `noisefloor measure`: the loop, the clock and CPUID, which need no privilege.
host-arch-srcs = $(addprefix arch/,calibrate.c probe.c sampling.c) \
	$(addprefix arch/$(1)/,cpu.c crc32c.c identify.c topology.c)
HOST_ARCH_SRCS := $(call host-arch-srcs,$(HOST_ARCH))
