/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector's folder as JUnit's XML: one test case per run. */
#ifndef HOST_COLLECT_JUNIT_H
#define HOST_COLLECT_JUNIT_H

/* From the folder's runs and its index. 0 or an errno. */
int collect_junit_write(int dir, const char *path);

#endif
