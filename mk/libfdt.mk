# SPDX-License-Identifier: BSD-2-Clause
# libfdt of the device tree compiler, and what of ours includes it.

$(eval $(call source,LIBFDT,device-tree-compiler))

LIBFDT_PARTS := fdt fdt_check fdt_ro
LIBFDT_SRCS := $(LIBFDT_PARTS:%=$(LIBFDT)/src/libfdt/%.c)

$(LIBFDT_SRCS): $(LIBFDT)/fetched ;

LIBFDT_INCLUDES := -isystem $(LIBFDT)/src/libfdt
LIBFDT_USERS := $(patsubst %.c,%.o,$(wildcard core/device_tree/*.c))
$(foreach user,$(LIBFDT_USERS),$(eval $(BUILD)/%/$(user): OBJECT_CFLAGS := $(LIBFDT_INCLUDES)))
# Trees older than version 17 are refused before.
LIBFDT_CFLAGS := $(LIBFDT_INCLUDES) -DFDT_ASSUME_MASK=4

libfdt-objects = $(LIBFDT_PARTS:%=$(BUILD)/$(1)/libfdt/%.o)

# libfdt-rules,FOLDER,COMPILER,FLAGS,NEEDS: its compile rules.
define libfdt-rules
$(BUILD)/$(1)/libfdt/%.o: $(LIBFDT)/src/libfdt/%.c $(4) mk/flags.mk mk/libfdt.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$(2) $(3) $(LIBFDT_CFLAGS) -w -c -o $$@ $$<

$(LIBFDT_USERS:%=$(BUILD)/$(1)/%): $(LIBFDT)/fetched
endef
