# SPDX-License-Identifier: BSD-2-Clause
# noisefloor.elf, which PVH loaders start: the objects of the EFI application, with pvh/ in place of
# efi/. noisefloor.bzimage, which loaders of Linux start, is the same behind another head. They
# exist for x86-64 only.

PVH_ELF := $(if $(filter x86_64,$(ARCH)),$(BUILD)/noisefloor.elf $(BUILD)/noisefloor.bzimage)
PVH_LDFLAGS := -static -nostdlib -znoexecstack -zmax-page-size=4096 --no-undefined --gc-sections \
	--fatal-warnings --build-id=none -T pvh/image.lds
PVH_OBJS := $(call efi-objects,$(PVH_SRCS)) \
	$(filter-out $(BUILD)/$(EFI_OBJ)/efi/%,$(NF_OBJS))

# Strip it: loaders would load symbols and debug information as well.
$(BUILD)/noisefloor.elf: $(BUILD)/noisefloor.linked mk/boot_headers.py
	$(call print,ELF,$@)$(CROSS)objcopy --strip-all $< $@
	@$(PYTHON) -B mk/boot_headers.py $< $@

$(BUILD)/noisefloor.linked: $(sort $(PVH_OBJS)) pvh/image.lds
	$(call print,LD,$@)$(CROSS)ld $(PVH_LDFLAGS) -o $@ $(sort $(PVH_OBJS))

$(BUILD)/noisefloor.bzimage: $(PVH_SETUP) $(BUILD)/noisefloor.elf
	$(call print,BZIMAGE,$@)$(CROSS)objcopy -O binary $(BUILD)/noisefloor.elf \
		$(BUILD)/noisefloor.flat
	@$(EFI_COMPILER) -c -DFLAT='"$(BUILD)/noisefloor.flat"' -o $(BUILD)/setup.o $(PVH_SETUP)
	@$(CROSS)objcopy -O binary -j .text $(BUILD)/setup.o $@
	@$(PYTHON) -B mk/boot_headers.py $(BUILD)/noisefloor.linked $(BUILD)/noisefloor.elf $@

-include $(PVH_OBJS:.o=.d)
