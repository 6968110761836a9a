# SPDX-License-Identifier: BSD-2-Clause
# Media to boot from, and signing. What is on them can be signed, or be another application or
# configuration: make image KEY=key.pem CERT=cert.pem IMAGE_CONF=rack7.conf

KEY ?=
CERT ?=
SIGNED ?= $(BUILD)
SIGNING := $(if $(KEY)$(CERT),-signed)
APPS_IN := $(if $(SIGNING),$(SIGNED),$(BUILD))

# AArch64's application is on them where there is a compiler for it, or where tests need it anyway,
# but not where none does; AARCH64=no leaves it out.
AARCH64_TOOLS := $(if $(filter-out aarch64,$(HOST_ARCH)),aarch64-linux-gnu-)
AARCH64_CC := $(if $(filter gcc,$(COMPILER)),$(AARCH64_TOOLS))$(CC)
AARCH64_FOUND = $(and $(shell command -v $(AARCH64_CC)),$(shell command -v $(AARCH64_TOOLS)ld))
AARCH64 ?= $(if $(or $(filter $(ALL_GOALS),$(MAKECMDGOALS)),$(and $(filter-out \
	$(X86_64_GOALS),$(or $(MAKECMDGOALS),all)),$(AARCH64_FOUND))),yes,no)
WITH_AARCH64 := $(filter yes,$(AARCH64))

IMAGE_APP ?= $(APPS_IN)/noisefloor$(SIGNING).efi
IMAGE_APP_AARCH64 ?= $(WITH_AARCH64:yes=$(APPS_IN)/aarch64/noisefloor$(SIGNING).efi)
IMAGE_CONF ?= mk/image/noisefloor.conf
# The image that 32-bit UEFI starts, to print why it cannot run the probe.
IMAGE_REFUSAL := $(BUILD)/image/BOOTIA32.EFI
IMAGE_FILES := $(IMAGE_CONF) $(BUILD)/image/README.txt BOOTIA32.EFI=$(IMAGE_REFUSAL) \
	BOOTX64.EFI=$(IMAGE_APP) $(IMAGE_APP_AARCH64:%=BOOTAA64.EFI=%)
IMAGE_OF := $(IMAGE_FILES) $(SOURCE_DATE_EPOCH)
PROCESSORS := 64-bit x86$(if $(IMAGE_APP_AARCH64), or 64-bit Arm)

$(BUILD)/image/README.txt: mk/image/README.txt Makefile $(BUILD)/image/of
	@mkdir -p $(@D)
	@sed 's/@VERSION@/$(VERSION)/; s/@PROCESSORS@/$(PROCESSORS)/' $< >$@

$(IMAGE_REFUSAL): mk/bootia32.py $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	$(call print,PE,$@)$(PYTHON) -B $< $@

# `noisefloor boot stick` looks for them here, beside the tool.
$(BUILD)/image/noisefloor.conf: mk/image/noisefloor.conf
$(BUILD)/image/medium.sh: host/boot/medium.sh
$(addprefix $(BUILD)/image/,noisefloor.conf medium.sh):
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso: host/boot/medium.sh $(IMAGE_APP) \
		$(IMAGE_APP_AARCH64) $(IMAGE_REFUSAL) $(IMAGE_CONF) $(BUILD)/image/README.txt \
		$(PACKAGES_IMAGE) | image-processors
	$(call print,IMAGE,$@)SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) $< $@ $(IMAGE_FILES)

# Another application or configuration than last time makes other media.
$(BUILD)/image/of: FORCE
	@mkdir -p $(@D)
	@echo '$(IMAGE_OF)' | cmp -s - $@ || echo '$(IMAGE_OF)' >$@
$(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso: $(BUILD)/image/of

.PHONY: image image-processors sign FORCE
FORCE:

image: $(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso ## media to boot from: a stick's, a CD's

image-processors:
	@[ '$(IMAGE_APP_AARCH64)' ] || echo 'image: for $(PROCESSORS) only, without' \
		'EFI/BOOT/BOOTAA64.EFI: AARCH64=$(AARCH64); its compiler: make packages-cross' >&2

# A key signs anew each time: what was signed before may have been by another.
SIGNED_APPS := $(addprefix $(SIGNED)/,noisefloor-signed.efi \
	$(WITH_AARCH64:yes=aarch64/noisefloor-signed.efi))
# Images that a locked-down Linux starts by kexec.
SIGNED_PVH := $(patsubst $(BUILD)/%.bzimage,$(SIGNED)/%-signed.bzimage,$(filter \
	%-oneway.bzimage,$(PVH_ELF)))
define SIGN_IMAGE
@[ '$(KEY)' ] && [ '$(CERT)' ] || \
	{ echo 'sign: make sign KEY=key.pem CERT=cert.pem' >&2; false; }
@mkdir -p $(@D)
$(call print,SIGN,$@)sbsign --key '$(KEY)' --cert '$(CERT)' --output '$@' $<
@sbverify --cert '$(CERT)' '$@'
endef
ifneq ($(SIGNING),)
$(SIGNED_APPS): $(SIGNED)/%-signed.efi: $(BUILD)/%.efi $(PACKAGES_IMAGE) FORCE
	$(SIGN_IMAGE)
$(SIGNED_PVH): $(SIGNED)/%-signed.bzimage: $(BUILD)/%.bzimage $(PACKAGES_IMAGE) FORCE
	$(SIGN_IMAGE)
endif

sign: ## sign: KEY=key.pem CERT=cert.pem
sign: $(if $(SIGNING),$(SIGNED_APPS) $(SIGNED_PVH)) | image-processors
	@[ '$(SIGNING)' ] || { echo 'sign: make sign KEY=key.pem CERT=cert.pem' >&2; false; }
