/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor status`: the verdict of one machine, for schedulers to ask for. */
#ifndef HOST_STATUS_H
#define HOST_STATUS_H

int status_main(int argc, char **argv);

#endif
