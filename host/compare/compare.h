/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor compare`: a floor, and what was measured from inside an OS, side by side. */
#ifndef HOST_COMPARE_H
#define HOST_COMPARE_H

/* argv[0] is "compare". Returns the exit code. */
int compare_main(int argc, char **argv);

#endif
