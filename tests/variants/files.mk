# SPDX-License-Identifier: BSD-2-Clause
# Test builds of the application: the product with one source exchanged for another.
#   noisefloor-unmasked.efi       measures with interrupts on
#   noisefloor-any-threshold.efi  accepts a threshold below the loop's own interval
#   noisefloor-all-evidence.efi   finds every counter of a bare Intel machine
#   noisefloor-late-cores.efi     has cores that answer two seconds after they were started
#   noisefloor-late-loan.efi      has cores that the firmware runs three seconds late
#   noisefloor-late-sleep.efi     has cores that fall asleep when their wake-up has come
#   noisefloor-beside.efi         has a core that works more slowly beside another
#   noisefloor-faults.efi         takes an exception at the place that `gaps` is, or hangs there;
#                                 also for PVH and Linux's boot protocol
#   noisefloor-brief-guard.efi    reports a call of mode=services that goes on for three seconds

# variant,NAME,PRODUCT SOURCE,TEST SOURCE
define variant
VARIANT_OBJS_$(1) := $$(call efi-objects,$$(filter-out $(2),$$(NF_SRCS)) $(3)) \
	$$(call others-objects,$(EFI_OBJ)) $$(ZLIB_OBJS)
$$(eval $$(call efi-link,$$(EFI_BUILD)/noisefloor-$(1),$$(VARIANT_OBJS_$(1))))
WRITTEN += $$(patsubst %.o,%.d,$$(call efi-objects,$(3)))
endef

$(eval $(call variant,unmasked,arch/$(ARCH)/mask.c,tests/variants/unmasked.c))
$(eval $(call variant,any-threshold,probe/threshold.c,tests/variants/any_threshold.c))
$(eval $(call variant,all-evidence,arch/$(ARCH)/regs.c,tests/variants/all_evidence.c))
$(eval $(call variant,late-cores,arch/members.c,tests/variants/late_cores.c))
$(eval $(call variant,late-loan,probe/platform/platform_firmware.c,tests/variants/late_loan.c))
$(eval $(call variant,late-sleep,arch/$(ARCH)/sleep.c,tests/variants/late_sleep.c))
$(eval $(call variant,beside,arch/work.c,tests/variants/beside.c))
$(eval $(call variant,faults,probe/platform/cores.c,tests/variants/faults.c))
$(eval $(call variant,brief-guard,core/modes/services/services_run.c,\
	tests/variants/brief_guard.c))

ifeq ($(ARCH),x86_64)
$(eval $(call pvh-link,$(BUILD)/noisefloor-faults,\
	$(filter-out $(call efi-objects,probe/platform/cores.c),$(PVH_OBJS)) \
	$(call efi-objects,tests/variants/faults.c)))
VARIANT_PVH := $(BUILD)/noisefloor-faults.elf $(BUILD)/noisefloor-faults.bzimage
endif

VARIANT_IMAGES := $(BUILD)/noisefloor-unmasked.efi $(BUILD)/noisefloor-any-threshold.efi \
	$(BUILD)/noisefloor-all-evidence.efi \
	$(BUILD)/noisefloor-late-cores.efi $(BUILD)/noisefloor-late-loan.efi \
	$(BUILD)/noisefloor-late-sleep.efi $(BUILD)/noisefloor-beside.efi \
	$(BUILD)/noisefloor-faults.efi $(BUILD)/noisefloor-brief-guard.efi \
	$(VARIANT_PVH)
