/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector's folder as JUnit's XML: one test case per run. */
#pragma once

/* From the folder's runs and its index. 0 or an errno. */
int collect_junit_write(int dir, const char *path);
