/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: what a measured floor does to a bulk-synchronous job on many nodes. */
#ifndef HOST_PREDICT_H
#define HOST_PREDICT_H

/* argv[0] is "predict". Returns the exit code. */
int predict_main(int argc, char **argv);

#endif
