# SPDX-License-Identifier: BSD-2-Clause
# inject.efi: raises SMIs whose truth is known, then starts the probe. For tests only.

INJECT_SRCS := $(sort $(wildcard tests/inject/*.c tests/inject/*.S)) $(CORE_SRCS) $(ARCH_SRCS) \
	efi/firmware.c efi/sections.S
INJECT_OBJS := $(call efi-objects,$(INJECT_SRCS))

$(eval $(call efi-link,$(BUILD)/inject,$(INJECT_OBJS)))

-include $(INJECT_OBJS:.o=.d)
