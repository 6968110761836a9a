/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet`: a collector's machines beside each other, and which of them differ. */
#ifndef HOST_FLEET_H
#define HOST_FLEET_H

int fleet_main(int argc, char **argv);

#endif
