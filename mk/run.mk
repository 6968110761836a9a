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

# SMIs of 300 ns to 2 ms by the injector's handler and NMIs by the HPET, all on core 0.
$(BUILD)/demo.bin: tests/inject/schedule.py $(PACKAGES_BUILD)
	@mkdir -p $(@D)
	@$(PYTHON) -B $< $@ kind=uniform seed=1 count=2000 start=2s nmi_period=100ms

demo: $(RUN_NEEDS) $(BUILD)/inject.efi $(BUILD)/demo.bin ## the same with injected SMIs and NMIs
	@$(RUN) --smp $(SMP) --config "$(CONFIG)" --inject $(BUILD)/inject.efi \
		--file inject.bin=$(BUILD)/demo.bin --qemu=-global --qemu=hpet.msi=on
