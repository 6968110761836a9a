# SPDX-License-Identifier: BSD-2-Clause
# EFI images: how sources become objects under $(BUILD)/$(EFI_OBJ), objects a PE.

# Cross-built where the processor is another. Clang is a cross compiler by itself.
CROSS := $(if $(filter-out $(HOST_ARCH),$(ARCH)),$(ARCH)-linux-gnu-)
EFI_COMPILER_gcc := $(CROSS)$(CC)
EFI_COMPILER_clang := $(CC) --target=$(ARCH)-linux-gnu
EFI_COMPILER := $(EFI_COMPILER_$(COMPILER))

# gnu-efi's headers: of this machine's package, where that has them for the processor.
EFI_HEADERS := $(if $(or $(filter x86_64,$(ARCH)),$(wildcard /usr/include/efi/$(ARCH)/efibind.h)),\
	/usr/include/efi,$(EFI_BUILD)/gnu-efi/usr/include/efi)
EFI_NEEDS_aarch64 := $(EFI_HEADERS)/aarch64/efibind.h $(if $(CROSS),$(PACKAGES_CROSS))
EFI_NEEDS := $(EFI_NEEDS_$(ARCH))
EFI_INCLUDES := -isystem $(EFI_HEADERS) -isystem $(EFI_HEADERS)/$(ARCH) -DGNU_EFI_USE_MS_ABI \
	-Iarch/$(ARCH)
# GNU ld of before 2.43 packs relocations for x86 only.
EFI_LDFLAGS_x86_64 := -z pack-relative-relocs
EFI_LDFLAGS := -nostdlib -znocombreloc -znoexecstack -zmax-page-size=4096 -shared -Bsymbolic \
	--no-undefined --gc-sections --fatal-warnings --build-id=none $(EFI_LDFLAGS_$(ARCH)) \
	-T efi/image.lds
EFI_SECTIONS := .text .reloc .data .sbat
# The first object of every image.
EFI_START_OBJS = $(call efi-objects,efi/start.c)

# efi-objects,SOURCES[,VARIANT]: the objects of an image; a variant has its own flags and folder.
efi-objects = $(patsubst %,$(BUILD)/$(EFI_OBJ)$(2)/%.o,$(basename $(1)))

EFI_CC = $(EFI_COMPILER) $(EFI_CFLAGS) $(EFI_INCLUDES) $(OBJECT_CFLAGS) $(SIZE_CFLAGS)

# efi-rules,VARIANT,FLAGS: compile rules of a variant ("" is the product).
define efi-rules
$(BUILD)/$(EFI_OBJ)$(1)/%.o: %.c $$(PACKAGES_BUILD) $$(EFI_NEEDS) mk/flags.mk mk/efi.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$$(EFI_CC) $(2) -c -o $$@ $$<

$(BUILD)/$(EFI_OBJ)$(1)/%.o: %.S $$(PACKAGES_BUILD) $$(EFI_NEEDS) mk/flags.mk mk/efi.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$$(EFI_CC) $(2) -c -o $$@ $$<
endef

# efi-link,IMAGE,OBJECTS: link and convert one image.
define efi-link
$(1).so: $(sort $(EFI_START_OBJS) $(2)) efi/image.lds
	$$(call print,LD,$$@)$$(CROSS)ld $$(EFI_LDFLAGS) -o $$@ $(sort $(EFI_START_OBJS) $(2))
	@if $$(CROSS)readelf -Wr $$@ | grep ' R_' | grep -v '_RELATIVE '; then \
		echo "$$@: relocations that efi/start.c does not know" >&2; rm -f $$@; false; fi
	@if $$(CROSS)nm $$@ | grep ' [Uu] '; then \
		echo "$$@: undefined symbols" >&2; rm -f $$@; false; fi

$(1).efi: $(1).so mk/pe_header.py
	$$(call print,PE,$$@)$$(CROSS)objcopy --strip-all $$< $$@.stripped
	@$$(CROSS)objcopy $$(foreach s,$$(EFI_SECTIONS),-j $$(s)) \
		--output-target=efi-app-$(ARCH) --subsystem=10 $$@.stripped $$@
	@rm -f $$@.stripped
	@$$(PYTHON) -B mk/pe_header.py finish $$@
endef

# The screen's font, to an object: Spleen, or another of 8x16 by FONT_FILE=FONT.psf[.gz].
$(eval $(call source,SPLEEN,fonts-spleen))
SPLEEN_FONT := $(SPLEEN)/src/usr/share/consolefonts/spleen-8x16.psfu.gz
FONT_FILE ?=
FONT := $(or $(FONT_FILE),$(SPLEEN_FONT))
FONT_SRC := $(BUILD)/font.c

$(SPLEEN_FONT): $(SPLEEN)/fetched ;

# Another font than last time makes another object.
$(BUILD)/font.of: FORCE
	@mkdir -p $(@D)
	@echo '$(FONT)' | cmp -s - $@ || echo '$(FONT)' >$@

$(FONT_SRC): mk/font.py $(FONT) $(BUILD)/font.of $(PACKAGES_BUILD)
	$(call print,FONT,$@)$(PYTHON) -B mk/font.py $(FONT) >$@

NF_SRCS := $(FONT_SRC) $(CORE_SRCS) $(ARCH_SRCS) $(DRIVER_SRCS) $(NET_SRCS) $(PROBE_SRCS) \
	$(EFI_SRCS)
NF_OBJS := $(call efi-objects,$(NF_SRCS)) $(call others-objects,$(EFI_OBJ)) $(ZLIB_OBJS)

$(eval $(call efi-rules,,))
$(eval $(call others-rules,$(EFI_OBJ),$(EFI_COMPILER),$(EFI_CFLAGS) $(SMALL_CFLAGS),$(EFI_NEEDS)))
$(ZLIB_OBJS): $(PACKAGES_BUILD) $(EFI_NEEDS)
$(eval $(call efi-link,$(EFI_BUILD)/noisefloor,$(NF_OBJS)))

WRITTEN += $(NF_OBJS:.o=.d)

# The headers of a processor that the package of this machine's leaves out.
$(EFI_BUILD)/gnu-efi/usr/include/efi/$(ARCH)/efibind.h: mk/foreign.sh mk/apt.sh | $(PACKAGES_BUILD)
	$(call print,FETCH,$@)mk/foreign.sh $(EFI_BUILD)/gnu-efi $(ARCH) gnu-efi
	@touch $@

# Images for another processor, by a make of its own: one after the other.
AARCH64_IMAGES := $(addprefix $(BUILD)/aarch64/,noisefloor.efi noisefloor.image inject.efi \
	quirks.efi monitor.bin noisefloor-faults.efi noisefloor-beside.efi)
ifeq ($(ARCH),x86_64)
ifneq ($(filter $(ALL_GOALS),$(MAKECMDGOALS)),)
$(AARCH64_IMAGES) &: FORCE
	@$(MAKE) ARCH=aarch64 $(AARCH64_IMAGES)
else
$(AARCH64_IMAGES): FORCE
	@$(MAKE) ARCH=aarch64 $@
$(BUILD)/aarch64/noisefloor.image: $(BUILD)/aarch64/noisefloor.efi
$(BUILD)/aarch64/inject.efi: $(BUILD)/aarch64/noisefloor.image
$(BUILD)/aarch64/quirks.efi: $(BUILD)/aarch64/inject.efi
$(BUILD)/aarch64/monitor.bin: $(BUILD)/aarch64/quirks.efi
$(BUILD)/aarch64/noisefloor-faults.efi: $(BUILD)/aarch64/monitor.bin
$(BUILD)/aarch64/noisefloor-beside.efi: $(BUILD)/aarch64/noisefloor-faults.efi
endif
else
$(BUILD)/noisefloor.efi: FORCE
	@$(MAKE) ARCH=x86_64 $@
endif
.PHONY: FORCE
