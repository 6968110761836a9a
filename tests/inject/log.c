/* SPDX-License-Identifier: BSD-2-Clause */
/* The injector's lines. */
#include "log.h"

#include "core/lib/text.h"
#include "efi/firmware.h"

void inject_log(const char *format, ...)
{
	char line[160];
	struct text t;
	va_list args;

	text_init(&t, line, sizeof(line));
	text_add(&t, "inject: ");
	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	firmware_print(line);
}
