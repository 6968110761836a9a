/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a screen. One whose pixels can be written directly is preferred to one that Blt() has to
 * paint.
 */
#include "firmware.h"

typedef EFI_GRAPHICS_OUTPUT_PROTOCOL gop_protocol;

static EFI_GUID gop_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
static gop_protocol *painter;

static const struct framebuffer_mask rgb_mask = { 0xff, 0xff00, 0xff0000, 0xff000000 };
static const struct framebuffer_mask bgr_mask = { 0xff0000, 0xff00, 0xff, 0xff000000 };

static struct framebuffer_mask mask_of(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info)
{
	const EFI_PIXEL_BITMASK *own = &info->PixelInformation;

	switch (info->PixelFormat) {
	case PixelRedGreenBlueReserved8BitPerColor:
		return rgb_mask;
	case PixelBlueGreenRedReserved8BitPerColor:
		return bgr_mask;
	case PixelBitMask:
		return (struct framebuffer_mask){ own->RedMask, own->GreenMask, own->BlueMask,
						  own->ReservedMask };
	default:
		return (struct framebuffer_mask){ 0 };
	}
}

/*
 * Returns true, with the screen in *to, if its pixels can be written directly. Else the first such
 * screen is stored there, for Blt().
 */
static bool firmware_screen_take(struct framebuffer *to, gop_protocol *gop)
{
	const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = gop->Mode ? gop->Mode->Info : NULL;
	struct framebuffer f;

	if (!info)
		return false;
	f = (struct framebuffer){
		.address = gop->Mode->FrameBufferBase,
		.bytes = gop->Mode->FrameBufferSize,
		.width = info->HorizontalResolution,
		.height = info->VerticalResolution,
		.stride = info->PixelsPerScanLine,
		.mask = mask_of(info),
	};
	if (framebuffer_check(&f)) {
		*to = f;
		painter = NULL;
		return true;
	}
	if (!painter) {
		*to = f;
		/* The format of Blt()'s pixels. */
		to->mask = bgr_mask;
		painter = gop;
	}
	return false;
}

static bool take_from(EFI_HANDLE handle, void *to)
{
	gop_protocol *gop = firmware_protocol(handle, &gop_guid);

	return gop && firmware_screen_take(to, gop);
}

/*
 * The order of choice: the console's screen, then any, if its pixels can be written directly; else
 * the first of them that Blt() paints.
 */
bool firmware_screen_find(struct framebuffer *f, bool *paints)
{
	bool direct = take_from(firmware_console(), f) || firmware_find(&gop_guid, take_from, f);

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
