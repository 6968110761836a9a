# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks of core/ on the machine you sit at: the same objects as the host tool's.

BENCH_EVENTS_OBJS := $(call host-objects,host-obj,tests/bench/events.c $(CORE_SRCS))

$(BUILD)/bench/events: $(BENCH_EVENTS_OBJS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -o $@ $^

-include $(BENCH_EVENTS_OBJS:.o=.d)

.PHONY: bench-events

bench-events: $(BUILD)/bench/events ## merge 10 million gaps of 255 cores into events
	@$<
