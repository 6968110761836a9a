/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor harvest`: the report that a run left in the firmware's variables, as records. */
#ifndef HOST_HARVEST_H
#define HOST_HARVEST_H

int harvest_main(int argc, char **argv);

#endif
