# SPDX-License-Identifier: BSD-2-Clause
# Pictures for README: of the screen, by QEMU, and of a report, made from what `make peers` left.

CHROMIUM := chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
	--disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
	--user-data-dir=$(BUILD)/chromium

$(BUILD)/peers/report.html: $(BUILD)/noisefloor $(wildcard $(BUILD)/peers/linux/*.txt)
	@[ -e $(BUILD)/peers/linux/osnoise.txt ] || $(MAKE) peers
	@$< report $(BUILD)/peers/probe/serial.log --inos $(BUILD)/peers/linux/osnoise.txt \
		--inos $(BUILD)/peers/linux/hwlat.txt -o $@

docs/report.png: $(BUILD)/peers/report.html $(PACKAGES_DOCS)
	@mkdir -p $(@D)
	@$(CHROMIUM) --window-size=1000,2560 --screenshot=$@ file://$(abspath $<) 2>$(BUILD)/chromium.log
	@echo "  PNG   $@"

.PHONY: screenshots screens

# SCREEN_CORES=4 leaves out the 255 cores, which take long.
SCREEN_CORES ?= 4 255

screens: $(PACKAGES_RUN) $(BUILD)/noisefloor.efi ## pictures of the probe's own screen, by QEMU
	@$(PYTHON) -B mk/screenshots.py $(BUILD)/noisefloor.efi docs/screen $(BUILD)/screens $(SCREEN_CORES)

screenshots: screens docs/report.png ## all pictures of README
