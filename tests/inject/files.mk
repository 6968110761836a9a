# SPDX-License-Identifier: BSD-2-Clause
# inject.efi: takes cores away at times that are known, then starts the probe. For tests only.

INJECT_SRCS := $(sort $(wildcard $(addprefix tests/inject/,*.c $(ARCH)/*.c $(ARCH)/*.S))) \
	$(CORE_SRCS) $(ARCH_SRCS) drivers/pci.c efi/firmware.c efi/sections.S
INJECT_OBJS := $(call efi-objects,$(INJECT_SRCS))

$(eval $(call efi-link,$(EFI_BUILD)/inject,$(INJECT_OBJS)))

WRITTEN += $(INJECT_OBJS:.o=.d)

# The level above U-Boot on AArch64, which starts at address 0.
MONITOR_OBJ := $(call efi-objects,tests/inject/aarch64/monitor/monitor.S)

$(EFI_BUILD)/monitor.bin: $(MONITOR_OBJ)
	$(call print,LD,$@)$(CROSS)ld -Ttext=0 -o $@.elf $<
	@$(CROSS)objcopy -O binary -j .text $@.elf $@

WRITTEN += $(MONITOR_OBJ:.o=.d)
