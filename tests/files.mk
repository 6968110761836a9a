# SPDX-License-Identifier: BSD-2-Clause
# tests/unit/test_*.c are cmocka programs, tests/fuzz/fuzz_*.c libFuzzer targets,
# tests/system/puppet.c the EFI program that acts out endings for test_runner.py.

UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
UNIT_COMMON_SRCS := $(filter-out $(UNIT_SRCS),$(sort $(wildcard tests/unit/*.c)))
FUZZ_SRCS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
PUPPET_OBJS := $(call efi-objects,tests/system/puppet.c arch/$(ARCH)/cpu.c efi/sbat.S)

$(eval $(call efi-link,$(BUILD)/puppet,$(PUPPET_OBJS)))

-include $(PUPPET_OBJS:.o=.d)
