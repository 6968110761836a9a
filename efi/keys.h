/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that a person presses, before the run and between its windows. */
#ifndef EFI_KEYS_H
#define EFI_KEYS_H

#include "app.h"

/* May a person be there? Then it asks before it starts, and waits before it leaves. */
bool keys_person(const struct app *app);

/* Does somebody want the run to end? Asked between windows. */
bool keys_stop(struct app *app);

/* What the live page says of that. */
const char *keys_hint(const struct app *app);

/* While the firmware is alive: forget what has been typed so far. */
void keys_drain(struct app *app);

/* Wait, while the firmware is alive, until a key is pressed, at most so many seconds. */
void keys_wait(unsigned seconds);

#endif
