/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An attestation as it was made: a run in QEMU 7.2 with Debian's OVMF and swtpm 0.7.1, of an image
 * whose hash is the last that PCR 4 was extended by.
 */
#pragma once

#define ATTESTED_SID UINT64_C(0xe3f53e946958efeb)
#define ATTESTED_CONFIG                                                                    \
	"mode=gaps kernel=all duration=300ms window=100ms quiet=no threshold=1us cpus=all" \
	" stages=handoff services=all service_calls=100 service_writes=10 smi=none max=no" \
	"ne max_smi=none max_noise=none max_stretch=none service_max=none preset=none sto" \
	"p=none stop_total=none records=auto gaps=3 serial=auto baud=115200 report=none i" \
	"p=dhcp vlan=none nic=auto key=none linger=30s save=none checkpoint=auto attest=y" \
	"es selftest=yes clear_logs=no live=no lava=no countdown=0 then=qemu-exit"
#define ATTESTED_LINES "a6c26c1624010b0bca9ad7e70cce212c6648da14d7b9c6a47000481e11ab1f08"
#define ATTESTED_STARTED                                                                   \
	"3d6772b4f84ed47595d72a2c4c5ffd15f5bb72c7507fe26f2aaee2c69d5633badf3f619804a92fdb" \
	"4057192dc43dd748ea778adc52bc498ce80524c014b811197069302216eff09fd025fa712d373e48" \
	"0e9811b50d6777bdb5d801854687d6c1"
#define ATTESTED_KEY                                                                       \
	"0023000b00050472000000100018000b000300100020d20ce331f45193759a777b2c88d54f6f8c53" \
	"01b472abb27ae8a0669a32c124a80020eca2a5ff8c6df05ec73d7677806b9c447e46955b92ddc789" \
	"0effd4230987aa7e"
#define ATTESTED_QUOTE                                                                     \
	"ff54434780180022000bd11f6e02300def44017827f92339377e4f7b3c5e023aee6300dd0081c0d5" \
	"863d00204787b7bdecb925d7bf933f6fdfe84c8c6502d67e7eb826b50b556e3cae85c1bb00000000" \
	"0000e781000000010000000001201910230016363600000001000b03ff80000020eda8dd5ce0bba4" \
	"999b4cb649221c20bb6c387b82a2233ab0eab3ff8c1e395370"
#define ATTESTED_SIGNATURE                                                                 \
	"0018000b002048a9cdd0488a64fe70622283751ab500cf3e3765babeefd2fdb1bfa8534a99140020" \
	"102854d81841fa5a1b8683c54896f3d7e4085f11be184acbda8196466f8406ea"
#define ATTESTED_HASH "ad510345b336747784abe4cce3c7fc7ede07f57dff3e21ac77534e4803e0074e"
#define ATTESTED_VALUES                                                             \
	"eaa650ae9b6b9c6d0ef4fab4dda3af9769f23c839ca3c98307a7a84831cbb472",         \
		"7a1c0cf58097aa1abd8afd911f81b0e9ae1089698209b17c246589af16fe0d56", \
		"3d458cfe55cc03ea1f443f1562beec8df51c75e14a9fcf9a7234a13f198e7969", \
		"3d458cfe55cc03ea1f443f1562beec8df51c75e14a9fcf9a7234a13f198e7969", \
		"892a3220f77a289446ec63bd34d446d7b53024938c6755a2cb1d335a1b9435e5", \
		"a5ceb755d043f32431d63e39f5161464620a3437280494b5850dc1b47cc074e0", \
		"3d458cfe55cc03ea1f443f1562beec8df51c75e14a9fcf9a7234a13f198e7969", \
		"65caf8dd1e0ea7a6347b635d2b379c93b9a1351edc2afc3ecda700e534eb3068", \
		"7d04e33b16c579d3f1254d0ebf4044ac65bbaadf0f7c4d12dcdcba27a00b30dc"
