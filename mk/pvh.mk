# SPDX-License-Identifier: BSD-2-Clause
# noisefloor.elf, which PVH loaders start: the objects of the EFI application, with pvh/ in place of
# efi/. noisefloor.bzimage, which loaders of Linux start, is the same behind another head.
# noisefloor-oneway.bzimage can be signed, and starts no other kernel. AArch64 has noisefloor.image,
# which loaders of Linux start.

PVH_ELF_x86_64 := $(addprefix $(BUILD)/,noisefloor.elf noisefloor.bzimage noisefloor-oneway.bzimage)
PVH_ELF_aarch64 := $(EFI_BUILD)/noisefloor.image
PVH_ELF := $(PVH_ELF_$(ARCH))
PVH_APP_x86_64 := $(BUILD)/noisefloor.elf
PVH_APP := $(or $(PVH_APP_$(ARCH)),$(PVH_ELF))
PVH_LDFLAGS := -static -nostdlib -znoexecstack -zmax-page-size=4096 --no-undefined --gc-sections \
	--fatal-warnings --build-id=none -T pvh/$(ARCH)/image.lds
PVH_OBJS := $(call efi-objects,$(PVH_SRCS)) \
	$(filter-out $(BUILD)/$(EFI_OBJ)/efi/%,$(NF_OBJS))

# pvh-link,IMAGE,OBJECTS[,LDFLAGS]: link an ELF, and make the bzImage of it, with LDFLAGS one that
# can be signed. Loaders would load symbols and debug information as well, so these are stripped.
define pvh-link
$(1).linked: $(sort $(2)) pvh/$(ARCH)/image.lds mk/pvh.mk
	$$(call print,LD,$$@)$$(CROSS)ld $$(PVH_LDFLAGS) $(3) -o $$@ $(sort $(2))

$(1).elf: $(1).linked mk/boot_headers.py
	$$(call print,ELF,$$@)$$(CROSS)objcopy --strip-all $$< $$@
	@$$(PYTHON) -B mk/boot_headers.py $$< $$@

$(1).bzimage: $$(PVH_SETUP) $(1).elf mk/pe_header.py
	$$(call print,BZIMAGE,$$@)$$(CROSS)objcopy -O binary $(1).elf $(1).flat
	@$$(EFI_COMPILER) -c -DFLAT='"$(1).flat"' -o $(1).setup.o $$(PVH_SETUP)
	@$$(CROSS)objcopy -O binary -j .text $(1).setup.o $$@
	$(if $(3),@$$(PYTHON) -B mk/pe_header.py add $$@)
	@$$(PYTHON) -B mk/boot_headers.py $(1).linked $(1).elf $$@
endef

ifeq ($(ARCH),x86_64)
$(eval $(call pvh-link,$(BUILD)/noisefloor,$(PVH_OBJS)))
$(eval $(call pvh-link,$(BUILD)/noisefloor-oneway,$(PVH_OBJS),--defsym=one_way=1))
else
$(EFI_BUILD)/noisefloor.linked: $(sort $(PVH_OBJS)) pvh/$(ARCH)/image.lds mk/pvh.mk
	$(call print,LD,$@)$(CROSS)ld $(subst -static,-shared -Bsymbolic -znocombreloc,\
		$(PVH_LDFLAGS)) -o $@ $(sort $(PVH_OBJS))
	@if $(CROSS)readelf -Wr $@ | grep ' R_' | grep -v '_RELATIVE '; then \
		echo "$@: relocations that pvh/ does not know" >&2; rm -f $@; false; fi

$(EFI_BUILD)/noisefloor.image: $(EFI_BUILD)/noisefloor.linked
	$(call print,IMAGE,$@)$(CROSS)objcopy -O binary -j .text -j .data $< $@
endif

WRITTEN += $(PVH_OBJS:.o=.d)
