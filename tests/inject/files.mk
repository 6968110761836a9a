# SPDX-License-Identifier: BSD-2-Clause
# inject.efi: takes cores away at times that are known, then starts the probe. For tests only.

INJECT_SRCS := $(sort $(wildcard $(addprefix tests/inject/,*.c $(ARCH)/*.c $(ARCH)/*.S))) \
	$(CORE_SRCS) $(ARCH_SRCS) efi/firmware.c efi/sections.S
INJECT_OBJS := $(call efi-objects,$(INJECT_SRCS))

$(eval $(call efi-link,$(EFI_BUILD)/inject,$(INJECT_OBJS)))

-include $(INJECT_OBJS:.o=.d)
