# SPDX-License-Identifier: BSD-2-Clause
# noisefloor.elf, which PVH loaders start: the objects of the EFI application, with pvh/ in place of
# efi/. It exists for x86-64 only.

PVH_ELF := $(if $(filter x86_64,$(ARCH)),$(BUILD)/noisefloor.elf)
PVH_LDFLAGS := -static -nostdlib -znoexecstack -zmax-page-size=4096 --no-undefined --gc-sections \
	--fatal-warnings --build-id=none -T pvh/image.lds
PVH_OBJS := $(call efi-objects,$(PVH_SRCS)) \
	$(filter-out $(BUILD)/$(EFI_OBJ)/efi/%,$(NF_OBJS))

# Strip it: loaders would load symbols and debug information as well.
$(BUILD)/noisefloor.elf: $(BUILD)/noisefloor.linked mk/elf_note.py
	$(call print,ELF,$@)objcopy --strip-all $< $@
	@$(PYTHON) -B mk/elf_note.py $@ $<

$(BUILD)/noisefloor.linked: $(sort $(PVH_OBJS)) pvh/image.lds
	$(call print,LD,$@)ld $(PVH_LDFLAGS) -o $@ $(sort $(PVH_OBJS))

-include $(PVH_OBJS:.o=.d)
