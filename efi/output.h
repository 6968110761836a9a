/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial port: text for people and the serial link of records. */
#ifndef EFI_OUTPUT_H
#define EFI_OUTPUT_H

#include "app.h"

/* Open the port of the configuration, or SPCR's, or COM1, and begin the report; again, when the
 * configuration has changed. */
void output_open(struct app *app);

#endif
