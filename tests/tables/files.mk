# SPDX-License-Identifier: BSD-2-Clause
# tables.efi: changes a machine's ACPI tables, then starts the probe. For tests only.

TABLES_SRCS := $(sort $(wildcard tests/tables/*.c tests/tables/*.S)) tests/inject/file.c \
	$(CORE_SRCS) $(ARCH_SRCS) efi/firmware.c efi/sections.S
TABLES_OBJS := $(call efi-objects,$(TABLES_SRCS))

$(eval $(call efi-link,$(BUILD)/tables,$(TABLES_OBJS)))

-include $(TABLES_OBJS:.o=.d)
