# SPDX-License-Identifier: BSD-2-Clause
# EFI images: how sources become objects under $(BUILD)/efi-obj, objects a PE.

EFI_INCLUDES := -isystem /usr/include/efi -isystem /usr/include/efi/$(ARCH) -DGNU_EFI_USE_MS_ABI
EFI_LDFLAGS := -nostdlib -znocombreloc -znoexecstack -zmax-page-size=4096 -shared -Bsymbolic \
	--no-undefined --gc-sections -z pack-relative-relocs --fatal-warnings --build-id=none \
	-T efi/image.lds
EFI_SECTIONS := .text .reloc .data .sbat
# What every image begins with.
EFI_START_OBJS = $(call efi-objects,efi/start.c)

# efi-objects,SOURCES[,VARIANT]: the objects of an image; a variant has its own flags and folder.
efi-objects = $(patsubst %,$(BUILD)/efi-obj$(2)/%.o,$(basename $(1)))

EFI_CC = $(CC) $(EFI_CFLAGS) $(EFI_INCLUDES) $(OBJECT_CFLAGS) $(SIZE_CFLAGS)

# efi-rules,VARIANT,FLAGS: compile rules of a variant ("" is the product).
define efi-rules
$(BUILD)/efi-obj$(1)/%.o: %.c $$(PACKAGES_BUILD) mk/flags.mk mk/efi.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$$(EFI_CC) $(2) -c -o $$@ $$<

$(BUILD)/efi-obj$(1)/%.o: %.S $$(PACKAGES_BUILD) mk/flags.mk mk/efi.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$$(EFI_CC) $(2) -c -o $$@ $$<
endef

# efi-link,IMAGE,OBJECTS: link and convert one image.
define efi-link
$(1).so: $(sort $(EFI_START_OBJS) $(2)) efi/image.lds
	$$(call print,LD,$$@)ld $$(EFI_LDFLAGS) -o $$@ $(sort $(EFI_START_OBJS) $(2))
	@if nm $$@ | grep ' [Uu] '; then echo "$$@: undefined symbols" >&2; rm -f $$@; false; fi

$(1).efi: $(1).so mk/nx_compat.py
	$$(call print,PE,$$@)$$(OBJCOPY) --strip-all $$< $$@.stripped
	@$$(OBJCOPY) $$(foreach s,$$(EFI_SECTIONS),-j $$(s)) \
		--output-target=efi-app-$(ARCH) --subsystem=10 $$@.stripped $$@
	@rm -f $$@.stripped
	@$$(PYTHON) mk/nx_compat.py $$@
endef

# The screen's font, from a package or FONT_FILE to an object. The stamp's first word is its path.
FONT_FILE ?=
FONT_SRC := $(BUILD)/font.c

$(FONT_SRC): mk/font.py $(PACKAGES_BUILD) $(PACKAGES_FONT)
	$(call print,FONT,$@)$(PYTHON) -B mk/font.py "$$(cut -d " " -f 1 $(PACKAGES_FONT))" >$@

NF_SRCS := $(FONT_SRC) $(CORE_SRCS) $(ARCH_SRCS) $(DRIVER_SRCS) $(NET_SRCS) $(EFI_SRCS)
NF_OBJS := $(call efi-objects,$(NF_SRCS)) $(call lwip-objects,efi-obj)

$(eval $(call efi-rules,,))
$(eval $(call lwip-rules,efi-obj,$(CC),$(EFI_CFLAGS) $(SMALL_CFLAGS)))
$(eval $(call efi-link,$(BUILD)/noisefloor,$(NF_OBJS)))

-include $(NF_OBJS:.o=.d)
