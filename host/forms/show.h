/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor show`: captures and record files, as text or as JSON. */
#ifndef HOST_SHOW_H
#define HOST_SHOW_H

/* argv[0] is "show". Returns the exit code. */
int show_main(int argc, char **argv);

#endif
