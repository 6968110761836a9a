# SPDX-License-Identifier: BSD-2-Clause
# What is printed from the program's tables: the schema of its output, which is installed, and
# documentation. Pictures of the documentation: the screen, in QEMU, and a report of what
# `make peers` left.

TABLES_OBJS := $(call host-objects,host-obj,mk/tables.c) \
	$(filter-out %/main.o,$(HOST_TOOL_OBJS) $(COLLECT_OBJS))

$(BUILD)/tables: $(TABLES_OBJS)
	$(call print,LD,$@)$(CC) -o $@ $^ -Wl,--as-needed $(HOST_LIBS) $(COLLECT_LIBS)
WRITTEN += $(BUILD)/host-obj/mk/tables.d

SCHEMA := $(BUILD)/schema.json

$(SCHEMA): mk/schema.py $(BUILD)/tables host/documents.json
	$(call print,JSON,$@)$(PYTHON) -B $^ >$@

.PHONY: docs

docs: $(BUILD)/tables ## print keys.md, records.md, noisefloor.conf, completions, rooms
	@$(PYTHON) -B mk/print_docs.py $<

CHROMIUM := chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
	--disable-background-networking --disable-component-update --disable-sync \
	--hide-scrollbars --user-data-dir=$(BUILD)/chromium

# The pages of two recorded runs.
$(BUILD)/page/report.html: tests/data/numbers/smis.log
$(BUILD)/page/stretch.html: tests/data/numbers/stretch.log
$(BUILD)/page/report.html $(BUILD)/page/stretch.html: $(BUILD)/noisefloor
	@mkdir -p $(@D)
	@$< show -f html $(filter %.log,$^) -o $@

docs/report.png: $(BUILD)/page/report.html
docs/report.png: HEIGHT := 2060
docs/stretch.png: $(BUILD)/page/stretch.html
docs/stretch.png: HEIGHT := 1870

docs/report.png docs/stretch.png: $(PACKAGES_DOCS)
	@$(CHROMIUM) --window-size=1000,$(HEIGHT) --screenshot=$@ \
		file://$(abspath $(filter %.html,$^)) 2>$(BUILD)/chromium.log
	@echo "  PNG   $@"

.PHONY: screenshots screens

# SCREEN_CORES=4 leaves out the 255 cores, which take long.
SCREEN_CORES ?= 4 255

screens: $(BUILD)/noisefloor.efi $(PACKAGES_RUN) ## pictures of the probe's own screen, by QEMU
	@$(PYTHON) -B mk/screenshots.py all $< $(BUILD)/screens $(BUILD)/screens/run $(SCREEN_CORES)

INJECTED_NEEDS := $(BUILD)/noisefloor.efi $(BUILD)/inject.efi $(BUILD)/demo.bin

docs/screen/injected.png: $(INJECTED_NEEDS) $(PACKAGES_RUN)
	@$(PYTHON) -B mk/screenshots.py injected $(INJECTED_NEEDS) $(@D) $(BUILD)/screens/run

docs/screen/stretch.png: $(BUILD)/noisefloor.efi $(PACKAGES_RUN)
	@$(PYTHON) -B mk/screenshots.py stretch $< $(@D) $(BUILD)/screens/run

screenshots: screens docs/screen/injected.png docs/screen/stretch.png docs/report.png \
	docs/stretch.png
screenshots: ## all pictures of the documentation
	@cp $(BUILD)/screens/1024x768-4-fail.png docs/screen/fail.png
