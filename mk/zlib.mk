# SPDX-License-Identifier: BSD-2-Clause
# zlib in the EFI application, which has no libc; programs of the host link the system's.

$(eval $(call source,ZLIB,zlib))

ZLIB_PARTS := deflate inffast inflate inftrees trees zutil
ZLIB_SRCS := $(ZLIB_PARTS:%=$(ZLIB)/src/%.c)

$(ZLIB_SRCS): $(ZLIB)/fetched ;

# Neither allocation of its own, nor gzip's head and checksum.
ZLIB_CFLAGS := -DZ_SOLO -DNO_GZIP
ZLIB_OBJS := $(ZLIB_PARTS:%=$(BUILD)/$(EFI_OBJ)/zlib/%.o)

$(BUILD)/$(EFI_OBJ)/zlib/%.o: $(ZLIB)/src/%.c mk/flags.mk mk/zlib.mk
	@mkdir -p $(@D)
	$(call print,CC,$@)$(EFI_COMPILER) $(EFI_CFLAGS) $(SMALL_CFLAGS) $(ZLIB_CFLAGS) -w \
		-c -o $@ $<

$(BUILD)/$(EFI_OBJ)/core/lib/deflate.o: OBJECT_CFLAGS := $(ZLIB_CFLAGS) -isystem $(ZLIB)/src
$(BUILD)/$(EFI_OBJ)/core/lib/deflate.o: $(ZLIB)/fetched
