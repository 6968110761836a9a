/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a screen. One whose pixels can be written directly is preferred to one that Blt() has to
 * paint.
 */
#include "firmware.h"

typedef EFI_GRAPHICS_OUTPUT_PROTOCOL gop_protocol;

static EFI_GUID gop_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
static gop_protocol *painter;

/* True if a pixel has eight bits for each colour, which are bytes in either order. */
static bool has_bytes(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info, bool *red_first)
{
	const EFI_PIXEL_BITMASK *own = &info->PixelInformation;
	/* A pixel ends with the highest bit of all masks: UEFI 2.10, 12.9, EFI_PIXEL_BITMASK. */
	bool masks = info->PixelFormat == PixelBitMask && own->GreenMask == 0xff00 &&
		     own->ReservedMask >> 24;

	*red_first = info->PixelFormat == PixelRedGreenBlueReserved8BitPerColor ||
		     (masks && own->RedMask == 0xff && own->BlueMask == 0xff0000);
	return *red_first || info->PixelFormat == PixelBlueGreenRedReserved8BitPerColor ||
	       (masks && own->RedMask == 0xff0000 && own->BlueMask == 0xff);
}

/*
 * Returns true, with the handle's screen in *screen, if its pixels can be written directly. Else
 * the first such screen is stored there, for Blt().
 */
static bool firmware_screen_take(EFI_HANDLE handle, void *screen)
{
	gop_protocol *gop = firmware_protocol(handle, &gop_guid);
	const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = gop && gop->Mode ? gop->Mode->Info
									    : NULL;
	struct framebuffer f, *to = screen;

	if (!info)
		return false;
	f = (struct framebuffer){
		.address = gop->Mode->FrameBufferBase,
		.bytes = gop->Mode->FrameBufferSize,
		.width = info->HorizontalResolution,
		.height = info->VerticalResolution,
		.stride = info->PixelsPerScanLine,
	};
	if (has_bytes(info, &f.red_first) && framebuffer_check(&f)) {
		*to = f;
		painter = NULL;
		return true;
	}
	if (!painter) {
		*to = f;
		/* Blt()'s pixels begin with blue. */
		to->red_first = false;
		painter = gop;
	}
	return false;
}

/*
 * The order of choice: the console's screen, then any, if its pixels can be written directly; else
 * the first of them that Blt() paints.
 */
bool firmware_screen_find(struct framebuffer *f, bool *paints)
{
	bool direct = firmware_screen_take(firmware_console(), f) ||
		      firmware_find(&gop_guid, firmware_screen_take, f);

	*paints = painter != NULL;
	return direct || painter;
}

void firmware_screen_paint(const struct framebuffer_area *a, const uint32_t *pixels,
			   bool one_colour)
{
	painter->Blt(painter, (EFI_GRAPHICS_OUTPUT_BLT_PIXEL *)(uintptr_t)pixels,
		     one_colour ? EfiBltVideoFill : EfiBltBufferToVideo, 0, 0, a->x, a->y, a->width,
		     a->height, 0);
}
