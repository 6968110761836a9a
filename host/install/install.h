/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor install`, `once` and `uninstall`: the application on this machine, for one boot. */
#ifndef HOST_INSTALL_H
#define HOST_INSTALL_H

int install_main(int argc, char **argv);
int uninstall_main(int argc, char **argv);
int once_main(int argc, char **argv);

#endif
