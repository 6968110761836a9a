# SPDX-License-Identifier: BSD-2-Clause
# lwIP and what of ours includes it.

$(eval $(call source,LWIP,lwip))

LWIP_PARTS := core/def core/inet_chksum core/init core/ip core/mem core/memp core/netif core/pbuf \
	core/timeouts core/udp core/ipv4/acd core/ipv4/dhcp core/ipv4/etharp core/ipv4/icmp \
	core/ipv4/ip4 core/ipv4/ip4_addr core/ipv6/ethip6 core/ipv6/icmp6 core/ipv6/ip6 \
	core/ipv6/ip6_addr core/ipv6/mld6 core/ipv6/nd6 netif/ethernet
LWIP_SRCS := $(LWIP_PARTS:%=$(LWIP)/src/src/%.c)
LWIP_INCLUDES := -Idrivers/net -isystem $(LWIP)/src/src/include

# A file of 2.2, whose contents are in dhcp.c of 2.1.
LWIP_ACD := $(LWIP)/src/src/core/ipv4/acd.c
$(LWIP_ACD): | $(LWIP)/fetched
	@[ -e $@ ] || : >$@

$(filter-out $(LWIP_ACD),$(LWIP_SRCS)): $(LWIP)/fetched ;

NET_SRCS := $(sort $(wildcard drivers/net/*.c))
# Others may include net.h, which knows nothing of lwIP.
$(BUILD)/%/drivers/net/net.o: OBJECT_CFLAGS := $(LWIP_INCLUDES)

lwip-objects = $(LWIP_PARTS:%=$(BUILD)/$(1)/lwip/%.o)

# lwip-rules,FOLDER,COMPILER,FLAGS,NEEDS: its compile rules.
define lwip-rules
$(BUILD)/$(1)/lwip/%.o: $(LWIP)/src/src/%.c drivers/net/lwipopts.h drivers/net/arch/cc.h \
		$(4) mk/flags.mk mk/lwip.mk
	@mkdir -p $$(@D)
	$$(call print,CC,$$@)$(2) $(3) -w $(LWIP_INCLUDES) -c -o $$@ $$<

$(BUILD)/$(1)/drivers/net/net.o: $(LWIP)/fetched
endef
