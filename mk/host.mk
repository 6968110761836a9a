# SPDX-License-Identifier: BSD-2-Clause
# The host tool and the collector: the same core/ as the EFI application, plus host/.

# host-objects,FOLDER,SOURCES: the objects that sources become in a folder under $(BUILD).
host-objects = $(patsubst %,$(BUILD)/$(1)/%.o,$(basename $(2)))

# host-rules,FOLDER,COMPILER,FLAGS,ASSEMBLER'S: compile rules for programs that run on Linux.
define host-rules
$(BUILD)/$(1)/%.o: %.c $$(PACKAGES_BUILD) mk/flags.mk mk/host.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$(2) $$(HOST_CFLAGS) $$(OBJECT_CFLAGS) $(3) -c -o $$@ $$<

$(BUILD)/$(1)/%.o: %.S $$(PACKAGES_BUILD) mk/flags.mk mk/host.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$(2) $$(HOST_CFLAGS) $$(OBJECT_CFLAGS) $(4) -c -o $$@ $$<
endef

# There is neither a screen nor a device tree.
HOST_CORE_SRCS := $(filter-out core/device_tree/% core/screen/% %_screen.c,$(CORE_SRCS))
STATIC_LIBS := -ljansson -lz -lm
HOST_LIBS := $(STATIC_LIBS) -lcrypto -lsqlite3 -lzstd
# Libraries of the collector alone.
COLLECT_LIBS := -lcurl -lmicrohttpd -lsystemd
TEXTS_SRC := $(BUILD)/texts.c
HOST_SRCS += $(TEXTS_SRC)
HOST_TOOL_OBJS := $(call host-objects,host-obj,$(HOST_CORE_SRCS) $(HOST_ARCH_SRCS) $(HOST_SRCS))

$(TEXTS_SRC): mk/texts.py host/html/page.css host/fleet/list.sql
	@mkdir -p $(@D)
	$(call print,GEN,$@)$(PYTHON) -B $< host/html/html.h html_style host/html/page.css \
		host/fleet/fleet.h fleet_list_sql host/fleet/list.sql >$@

$(eval $(call host-rules,host-obj,$(CC),$$(HARDEN_CFLAGS),$$(HARDEN_CFLAGS)))

$(BUILD)/noisefloor: $(HOST_TOOL_OBJS)
	$(call print,LD,$@)$(CC) -pie $(HARDEN_LDFLAGS) -o $@ $^ $(HOST_LIBS)

# The collector links only the objects of the tool that it needs.
COLLECT_OBJS := $(call host-objects,host-obj,$(COLLECT_SRCS))

$(BUILD)/host-obj/tool.a: $(filter-out %/host/main.o,$(HOST_TOOL_OBJS))
	@rm -f $@
	$(call print,AR,$@)ar rcs $@ $^

$(COLLECT_OBJS): $(PACKAGES_COLLECT)

$(BUILD)/noisefloor-collect: $(COLLECT_OBJS) $(BUILD)/host-obj/tool.a
	$(call print,LD,$@)$(CC) -pie $(HARDEN_LDFLAGS) -o $@ $^ -Wl,--as-needed $(HOST_LIBS) \
		$(COLLECT_LIBS)

# For a system that has no libraries, such as an initramfs.
STATIC_OBJS := $(filter-out $(call host-objects,host-obj,$(NOT_STATIC_SRCS)),$(HOST_TOOL_OBJS)) \
	$(call host-objects,host-obj,$(STATIC_SRCS))
$(BUILD)/noisefloor-static: $(STATIC_OBJS)
	$(call print,LD,$@)$(CC) -static-pie $(HARDEN_LDFLAGS) -o $@ $^ $(STATIC_LIBS)

# The static tool for AArch64, with the libraries of Debian's for that processor.
FOREIGN_LIBS := $(BUILD)/aarch64/libs
FOREIGN_CC := aarch64-linux-gnu-gcc $(addprefix -isystem $(FOREIGN_LIBS)/usr/,\
	include include/aarch64-linux-gnu)
FOREIGN_LD := $(FOREIGN_CC) -static-pie $(HARDEN_LDFLAGS) \
	$(addsuffix $(FOREIGN_LIBS)/usr/lib/aarch64-linux-gnu,-B -L)
FOREIGN_OBJS := $(call host-objects,host-obj-aarch64,$(HOST_CORE_SRCS) $(STATIC_SRCS) \
	$(filter-out $(NOT_STATIC_SRCS),$(HOST_SRCS)) $(call host-arch-srcs,aarch64))

$(FOREIGN_LIBS)/stamp: mk/foreign.sh mk/apt.sh | $(PACKAGES_BUILD) $(PACKAGES_CROSS)
	$(call print,FETCH,$@)mk/foreign.sh $(@D) aarch64 libjansson-dev zlib1g-dev libc6-dev \
		linux-libc-dev
	@touch $@

$(FOREIGN_OBJS): HOST_ARCH := aarch64
# Nobody debugs it in an initramfs, and its compiler is the slower one.
$(FOREIGN_OBJS): OBJECT_CFLAGS += -g0
$(FOREIGN_OBJS): $(FOREIGN_LIBS)/stamp
$(eval $(call host-rules,host-obj-aarch64,$$(FOREIGN_CC),$$(HARDEN_CFLAGS),$$(HARDEN_CFLAGS)))

$(BUILD)/aarch64/noisefloor-static: $(FOREIGN_OBJS)
	$(call print,LD,$@)$(FOREIGN_LD) -o $@ $^ $(STATIC_LIBS)

WRITTEN += $(FOREIGN_OBJS:.o=.d)

.PHONY: static
static: $(EFI_BUILD)/noisefloor-static ## the host tool without libraries: ARCH=aarch64

WRITTEN += $(HOST_TOOL_OBJS:.o=.d) $(COLLECT_OBJS:.o=.d)
