# SPDX-License-Identifier: BSD-2-Clause
# Media to boot from, and signing. The application and the configuration on them can be others:
# make image IMAGE_APP=build/noisefloor-signed.efi IMAGE_CONF=rack7.conf

IMAGE_APP ?= $(BUILD)/noisefloor.efi
IMAGE_CONF ?= mk/image/noisefloor.conf
IMAGE_NEEDS := mk/image.sh $(IMAGE_APP) $(IMAGE_CONF) $(BUILD)/image/README.txt $(PACKAGES_IMAGE)

$(BUILD)/image/README.txt: mk/image/README.txt Makefile
	@mkdir -p $(@D)
	@sed 's/@VERSION@/$(VERSION)/' $< >$@

$(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso: $(IMAGE_NEEDS)
	$(call print,IMAGE,$@)SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) mk/image.sh $@ $(IMAGE_APP) \
		$(IMAGE_CONF) $(BUILD)/image/README.txt

# Another application or configuration than last time makes other media.
$(BUILD)/image/of: FORCE
	@mkdir -p $(@D)
	@echo '$(IMAGE_APP) $(IMAGE_CONF) $(SOURCE_DATE_EPOCH)' | cmp -s - $@ || \
		echo '$(IMAGE_APP) $(IMAGE_CONF) $(SOURCE_DATE_EPOCH)' >$@
$(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso: $(BUILD)/image/of

.PHONY: image sign FORCE
FORCE:

image: ## media to boot from: a disk for a stick, a CD
image: $(BUILD)/noisefloor.img $(BUILD)/noisefloor.iso

KEY ?=
CERT ?=
SIGNED ?= $(BUILD)/noisefloor-signed.efi

sign: $(BUILD)/noisefloor.efi $(PACKAGES_IMAGE) ## sign for Secure Boot: KEY=key.pem CERT=cert.pem
	@[ '$(KEY)' ] && [ '$(CERT)' ] || \
		{ echo 'sign: make sign KEY=key.pem CERT=cert.pem' >&2; false; }
	$(call print,SIGN,$(SIGNED))sbsign --key '$(KEY)' --cert '$(CERT)' \
		--output '$(SIGNED)' $<
	@sbverify --cert '$(CERT)' '$(SIGNED)'
