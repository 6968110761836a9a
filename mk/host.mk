# SPDX-License-Identifier: BSD-2-Clause
# The host tool: the same core/ as the EFI application, plus host/.

# host-objects,FOLDER,SOURCES: the objects that sources become in a folder under $(BUILD).
host-objects = $(patsubst %,$(BUILD)/$(1)/%.o,$(basename $(2)))

# host-rules,FOLDER,COMPILER,FLAGS: compile rules for programs that run on Linux.
define host-rules
$(BUILD)/$(1)/%.o: %.c $$(PACKAGES_BUILD) mk/flags.mk mk/host.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$(2) $$(HOST_CFLAGS) $$(OBJECT_CFLAGS) $(3) -c -o $$@ $$<
endef

# host/lib/crc32c.c is quicker.
HOST_CORE_SRCS := $(filter-out core/lib/crc32c_plain.c,$(CORE_SRCS))
HOST_TOOL_OBJS := $(call host-objects,host-obj,$(HOST_CORE_SRCS) $(HOST_ARCH_SRCS) $(HOST_SRCS))

$(eval $(call host-rules,host-obj,$(CC),))

$(BUILD)/noisefloor: $(HOST_TOOL_OBJS)
	$(call print,LD,$@)$(CC) -o $@ $^ -ljansson -lz -lm

# For a system that has no libraries, such as an initramfs.
$(BUILD)/noisefloor-static: $(HOST_TOOL_OBJS)
	$(call print,LD,$@)$(CC) -static -o $@ $^ -ljansson -lz -lm

.PHONY: static
static: $(BUILD)/noisefloor-static ## the host tool without libraries, for an initramfs

-include $(HOST_TOOL_OBJS:.o=.d)
