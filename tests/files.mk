# SPDX-License-Identifier: BSD-2-Clause
# test_*.c below tests/unit, whose folders are those of the sources, are cmocka tests, of which each
# room has one program, and tests/fuzz/fuzz_*.c libFuzzer targets, whose seeds one program runs.
# They link what they need of tests/unit/common, tests/system/puppet.c
# the EFI program that acts out endings for test_runner.py, tests/system/launcher.c the one that
# saved machines wait in (launched.py), tests/quirks the one that makes a machine odd.

UNIT_SRCS := $(sort $(wildcard $(addsuffix /test_*.c,tests/unit/* tests/unit/*/* tests/unit/*/*/* \
	tests/unit/*/*/*/*)))
UNIT_COMMON_SRCS := $(filter-out $(UNIT_SRCS),$(sort $(wildcard tests/unit/common/*.c)))
# Tests of statistics, which count how often something is found in many made-up runs.
STATISTICS_SRCS := tests/unit/core/events/test_period.c \
	$(addprefix tests/unit/host/,sources/test_blind.c compare/test_mangled.c \
	diff/test_diff_chance.c diff/test_diff_services.c hunt/test_hunt.c)
FUZZ_SRCS := $(sort $(wildcard tests/fuzz/fuzz_*.c))

# Sources of whole runs: the program, and the mocked machine.
WHOLE_SRCS := $(PROBE_SRCS) $(DRIVER_SRCS) $(NET_SRCS) $(sort $(wildcard core/run/*.c \
	tests/unit/whole/mocked*.c)) $(addprefix arch/,calibrate.c members.c probe.c \
	sampling.c trap_try.c x86_64/counters/attribution_smm.c)
# Programs of their own: they define functions of the product themselves, start themselves, or have
# options of AddressSanitizer.
UNIT_ALONE := $(addprefix tests/unit/,arch/test_sampling.c \
	drivers/test_ps2.c drivers/test_refclock.c drivers/test_rtc.c drivers/test_uart.c \
	drivers/test_uart_pl011.c host/collect/test_forward.c host/collect/test_receiver.c \
	host/lib/test_list.c host/measure/test_measure_services.c)
# Rooms of core whose tests use the collector; the others are linked without host.
UNIT_WITH_HOST := core/wire/tests
FUZZ_ALONE := $(addprefix tests/fuzz/fuzz_,firmware.c snp.c tpm.c volume.c)
PUPPET_OBJS := $(call efi-objects,tests/system/puppet.c tests/inject/file.c $(ARCH_SRCS) \
	$(CORE_SRCS) efi/firmware.c efi/sections.S)
QUIRKS_OBJS := $(call efi-objects,\
	$(sort $(wildcard $(addprefix tests/quirks/,*.c $(ARCH)/*.c $(ARCH)/*.S))) \
	tests/inject/file.c $(CORE_SRCS) $(ARCH_SRCS) drivers/pci.c efi/firmware.c efi/sections.S)

LAUNCHER_OBJS := $(call efi-objects,tests/system/launcher.c tests/inject/file.c \
	tests/inject/fwcfg.c tests/inject/x86_64/fwcfg_ports.c $(CORE_SRCS) $(ARCH_SRCS) \
	efi/firmware.c efi/sections.S)

$(eval $(call efi-link,$(EFI_BUILD)/quirks,$(QUIRKS_OBJS)))
$(eval $(call efi-link,$(BUILD)/puppet,$(PUPPET_OBJS)))
$(eval $(call efi-link,$(BUILD)/launcher,$(LAUNCHER_OBJS)))

WRITTEN += $(PUPPET_OBJS:.o=.d) $(QUIRKS_OBJS:.o=.d) $(LAUNCHER_OBJS:.o=.d)
