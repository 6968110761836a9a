/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor diff`: two runs, before and after a change of the firmware or its settings. */
#ifndef HOST_DIFF_H
#define HOST_DIFF_H

/* argv[0] is "diff". Returns the exit code. */
int diff_main(int argc, char **argv);

#endif
