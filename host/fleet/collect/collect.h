/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor collect`: takes the records that nodes send over UDP. */
#ifndef HOST_COLLECT_H
#define HOST_COLLECT_H

int collect_main(int argc, char **argv);

#endif
