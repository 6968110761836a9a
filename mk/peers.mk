# SPDX-License-Identifier: BSD-2-Clause
# The tools of Linux beside the probe, in QEMU.

$(BUILD)/peers/stamp: qemu/linux/stamp.c $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(WARNINGS) -O2 -static -o $@ $<

PEERS_NEEDS := $(PACKAGES_RUN) $(PACKAGES_PEERS) $(BUILD)/noisefloor $(BUILD)/noisefloor-static \
	$(BUILD)/noisefloor.efi $(BUILD)/inject.efi $(BUILD)/peers/stamp

.PHONY: peers bench-peers

peers: $(PEERS_NEEDS) ## hwlat, osnoise, rtla, oslat, cyclictest beside the probe: README=docs/compare.md
	@qemu/linux/fetch $(BUILD)/peers/kernel
	@tests/peers/peers.py --build $(BUILD) --out $(BUILD)/peers $(addprefix --readme ,$(README))

bench-peers: $(PEERS_NEEDS) $(BUILD)/bench/loop_native ## how dense the loop, oslat, hwlat and osnoise are
	@qemu/linux/fetch $(BUILD)/peers/kernel
	@tests/peers/bench.py --build $(BUILD) --out $(BUILD)/peers
