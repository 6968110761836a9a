# SPDX-License-Identifier: BSD-2-Clause
# noisefloor.elf, which PVH loaders start: the objects of the EFI application, with pvh/ in place of
# efi/. noisefloor.bzimage, which loaders of Linux start, is the same behind another head. They
# exist for x86-64 only.

PVH_ELF := $(if $(filter x86_64,$(ARCH)),$(BUILD)/noisefloor.elf $(BUILD)/noisefloor.bzimage)
PVH_LDFLAGS := -static -nostdlib -znoexecstack -zmax-page-size=4096 --no-undefined --gc-sections \
	--fatal-warnings --build-id=none -T pvh/image.lds
PVH_OBJS := $(call efi-objects,$(PVH_SRCS)) \
	$(filter-out $(BUILD)/$(EFI_OBJ)/efi/%,$(NF_OBJS))

# pvh-link,IMAGE,OBJECTS: link an ELF, and make the bzImage of it. Loaders would load symbols and
# debug information as well, so these are stripped.
define pvh-link
$(1).linked: $(sort $(2)) pvh/image.lds
	$$(call print,LD,$$@)$$(CROSS)ld $$(PVH_LDFLAGS) -o $$@ $(sort $(2))

$(1).elf: $(1).linked mk/boot_headers.py
	$$(call print,ELF,$$@)$$(CROSS)objcopy --strip-all $$< $$@
	@$$(PYTHON) -B mk/boot_headers.py $$< $$@

$(1).bzimage: $$(PVH_SETUP) $(1).elf
	$$(call print,BZIMAGE,$$@)$$(CROSS)objcopy -O binary $(1).elf $(1).flat
	@$$(EFI_COMPILER) -c -DFLAT='"$(1).flat"' -o $(1).setup.o $$(PVH_SETUP)
	@$$(CROSS)objcopy -O binary -j .text $(1).setup.o $$@
	@$$(PYTHON) -B mk/boot_headers.py $(1).linked $(1).elf $$@
endef

$(eval $(call pvh-link,$(BUILD)/noisefloor,$(PVH_OBJS)))

-include $(PVH_OBJS:.o=.d)
