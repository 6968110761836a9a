/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor report`: runs as one page, self-contained, for a browser or a printer. */
#ifndef HOST_REPORT_H
#define HOST_REPORT_H

/* argv[0] is "report". Returns the exit code. */
int report_main(int argc, char **argv);

#endif
