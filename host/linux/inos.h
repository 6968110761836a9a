/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor inos`: measure from inside Linux. */
#ifndef HOST_INOS_H
#define HOST_INOS_H

/* argv[0] is "inos". Returns the exit code. */
int inos_main(int argc, char **argv);

#endif
