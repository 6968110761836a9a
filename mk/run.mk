# SPDX-License-Identifier: BSD-2-Clause
# Running the probe in QEMU. make knows failure only as 2; qemu/run gives the probe's own code.

SMP ?= 2
FIRMWARE ?= plain
CONFIG ?= duration=10s

RUN := qemu/run --app $(BUILD)/noisefloor.efi --out $(BUILD)/run
RUN_NEEDS := $(PACKAGES_RUN) $(BUILD)/noisefloor.efi $(BUILD)/noisefloor


.PHONY: run demo

run: $(RUN_NEEDS) ## measure in QEMU: SMP=2 FIRMWARE=plain|smm CONFIG="duration=10s"
	@$(RUN) --smp $(SMP) --firmware $(FIRMWARE) --config "$(CONFIG)"

demo: $(RUN_NEEDS) $(BUILD)/inject.efi ## the same with injected SMIs and NMIs
	@$(RUN) --smp $(SMP) --config "$(CONFIG)" --inject $(BUILD)/inject.efi --nmi 500
