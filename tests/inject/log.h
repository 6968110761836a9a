/* SPDX-License-Identifier: BSD-2-Clause */
/* What the injector has to report. */
#pragma once

/* One line on the firmware's console, after "inject: "; formats as text_add() does. */
void inject_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
