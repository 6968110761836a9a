# SPDX-License-Identifier: BSD-2-Clause
# What of ours is in BL31. TF-A's make reads this first (MAKEFILES); NOISEFLOOR is where we are.

BL31_SOURCES += $(NOISEFLOOR)/tests/inject/aarch64/tfa/injector.c $(NOISEFLOOR)/tests/inject/fwcfg.c
INCLUDES += -I$(NOISEFLOOR)
# The non-secure memory, where the log lies, is mapped late.
DEFINES += -DPLAT_XLAT_TABLES_DYNAMIC=1
# TF-A's authors used an older ld.
TF_LDFLAGS += --no-warn-rwx-segments
