# SPDX-License-Identifier: BSD-2-Clause
# The QR code generator of Project Nayuki, and what of ours includes it.

$(eval $(call source,QRCODEGEN,qr-code-generator))

QRCODEGEN_SRC := $(QRCODEGEN)/src/c/qrcodegen.c

$(QRCODEGEN_SRC): $(QRCODEGEN)/fetched ;

QRCODEGEN_INCLUDES := -isystem $(dir $(QRCODEGEN_SRC))
$(BUILD)/%/core/screen/screen_code.o: OBJECT_CFLAGS := $(QRCODEGEN_INCLUDES)
$(addsuffix /tests/unit/core/screen/test_screen_code.o,$(BUILD)/unit-obj $(BUILD)/coverage-obj): \
	OBJECT_CFLAGS += $(QRCODEGEN_INCLUDES)
# Its abs() and labs() are the compiler's, of which a freestanding one has none. Its checks of what
# it is called with run in tests.
QRCODEGEN_CFLAGS_$(EFI_OBJ) := -fbuiltin -DNDEBUG

qrcodegen-objects = $(BUILD)/$(1)/qrcodegen.o

# qrcodegen-rules,FOLDER,COMPILER,FLAGS,NEEDS: its compile rule.
define qrcodegen-rules
$(BUILD)/$(1)/qrcodegen.o: $(QRCODEGEN_SRC) $(4) mk/flags.mk mk/qrcodegen.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$(2) $(3) $(QRCODEGEN_CFLAGS_$(1)) -w -c -o $$@ $$<

$(BUILD)/$(1)/core/screen/screen_code.o: $(QRCODEGEN)/fetched
endef
