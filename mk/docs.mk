# SPDX-License-Identifier: BSD-2-Clause
# Pictures for README, made from what `make peers` left.

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

.PHONY: screenshots

screenshots: docs/report.png ## pictures for README, by headless Chromium
