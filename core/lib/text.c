/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounded text: a small printf into a caller's buffer, and numbers for people. */
#include "text.h"

#include "mem.h"

#define NUMBER_MAX 32 /* characters of a number; one filled with zeros has no more */

void text_init(struct text *t, char *buf, size_t cap)
{
	t->buf = buf;
	t->cap = cap;
	text_reset(t);
}

void text_reset(struct text *t)
{
	t->len = 0;
	t->overflow = false;
	t->buf[0] = '\0';
}

bool text_is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_';
}

void text_file_name(struct text *t, const char *s, size_t most)
{
	for (size_t i = 0; i < most && s[i]; i++)
		text_char(t, text_is_plain(s[i]) && (i || s[i] != '.') ? s[i] : '_');
}

void text_bytes(struct text *t, const char *s, size_t bytes)
{
	size_t room = t->len + 1 < t->cap ? t->cap - 1 - t->len : 0;

	if (bytes > room) {
		bytes = room;
		t->overflow = true;
	}
	if (!bytes)
		return;
	memcpy(t->buf + t->len, s, bytes);
	t->len += bytes;
	t->buf[t->len] = '\0';
}

void text_char(struct text *t, char c)
{
	text_bytes(t, &c, 1);
}

void text_hex(struct text *t, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_add(t, "%02x", bytes[i]);
}

size_t text_unhex(const char *digits, uint8_t *out, size_t room)
{
	size_t count = 0;

	for (; digits && *digits; digits += 2)
		if (count == room || !text_hex_byte(digits, &out[count++]))
			return 0;
	return count;
}

static void pad(struct text *t, size_t count)
{
	/* A width may be absurdly large; the buffer bounds the work. */
	while (count-- && !t->overflow)
		text_char(t, ' ');
}

/* One conversion of the format. */
struct spec {
	bool left, zero;
	size_t width;
	size_t precision; /* SIZE_MAX: none */
	bool is_long;     /* l, ll or z, all of 64 bits; else an int */
	char conversion;
};

_Static_assert(sizeof(long) == 8 && sizeof(long long) == 8 && sizeof(size_t) == 8, "is_long");

static const char *scan_number(const char *f, va_list *args, int64_t *value)
{
	*value = 0;
	if (*f == '*') {
		*value = va_arg(*args, int);
		return f + 1;
	}
	for (; *f >= '0' && *f <= '9'; f++) {
		if (*value < UINT32_MAX)
			*value = *value * 10 + (*f - '0');
	}
	return f;
}

/* Read a conversion after its '%'. NULL if it is not supported. */
static const char *scan_spec(const char *f, struct spec *s, va_list *args)
{
	bool is_number, is_bytes;
	int64_t value;

	*s = (struct spec){ .precision = SIZE_MAX };
	for (; *f == '-' || *f == '0'; f++) {
		s->left |= *f == '-';
		s->zero |= *f == '0';
	}
	/* C takes a negative width as '-', and a negative precision as none. */
	f = scan_number(f, args, &value);
	s->left |= value < 0;
	s->width = (size_t)(value < 0 ? -value : value);
	if (*f == '.') {
		f = scan_number(f + 1, args, &value);
		s->precision = value < 0 ? SIZE_MAX : (size_t)value;
	}
	for (; *f == 'l' || *f == 'z'; f++)
		s->is_long = true;
	s->conversion = *f;
	is_number = *f && memchr("diuxX", *f, 5) && s->precision == SIZE_MAX;
	is_bytes = *f == 's' || (*f == 'c' && s->precision == SIZE_MAX);
	return is_number || (is_bytes && !s->is_long) ? f + 1 : NULL;
}

static void add_padded(struct text *t, const struct spec *s, const char *bytes, size_t count)
{
	size_t padding = s->width > count ? s->width - count : 0;

	if (!s->left)
		pad(t, padding);
	text_bytes(t, bytes, count);
	if (s->left)
		pad(t, padding);
}

static void add_string(struct text *t, const struct spec *s, const char *string)
{
	size_t count = 0;

	if (!string)
		string = "n/a";
	/* With a precision the string need not be terminated. */
	while (count < s->precision && string[count])
		count++;
	add_padded(t, s, string, count);
}

static void add_number(struct text *t, const struct spec *s, uint64_t value, bool negative)
{
	const char *figures = s->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = s->conversion == 'x' || s->conversion == 'X' ? 16 : 10;
	char digits[NUMBER_MAX];
	size_t at = sizeof(digits);
	size_t zeros = s->zero && !s->left ? s->width : 0; /* width that zeros fill */

	do {
		digits[--at] = figures[value % base];
		value /= base;
	} while (value || (at > 1 && sizeof(digits) - at + negative < zeros));
	if (negative)
		digits[--at] = '-';
	add_padded(t, s, digits + at, sizeof(digits) - at);
}

static void add_conversion(struct text *t, const struct spec *s, va_list *args)
{
	if (s->conversion == 's') {
		add_string(t, s, va_arg(*args, const char *));
	} else if (s->conversion == 'c') {
		char c = (char)va_arg(*args, int);

		add_padded(t, s, &c, 1);
	} else if (s->conversion == 'd' || s->conversion == 'i') {
		int64_t value = s->is_long ? va_arg(*args, long) : va_arg(*args, int);

		add_number(t, s, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
	} else {
		add_number(t, s,
			   s->is_long ? va_arg(*args, unsigned long) : va_arg(*args, unsigned),
			   false);
	}
}

void text_vadd(struct text *t, const char *format, va_list args)
{
	va_list rest; /* a parameter of type va_list has no address to pass on */
	struct spec s;

	va_copy(rest, args);
	while (*format) {
		const char *behind = *format == '%' ? scan_spec(format + 1, &s, &rest) : NULL;

		if (behind) {
			add_conversion(t, &s, &rest);
			format = behind;
			continue;
		}
		text_char(t, *format);
		format += format[0] == '%' && format[1] == '%' ? 2 : 1;
	}
	va_end(rest);
}

void text_add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vadd(t, format, args);
	va_end(args);
}

void text_print(char *buf, size_t cap, const char *format, ...)
{
	struct text t;
	va_list args;

	text_init(&t, buf, cap);
	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
}

void text_fixed(struct text *t, uint64_t value, unsigned digits, unsigned width)
{
	unsigned behind = digits ? digits + 1 : 0; /* columns of point and decimals */
	uint64_t one = 1;

	for (unsigned i = 0; i < digits; i++)
		one *= 10;
	text_add(t, "%*llu", (int)(width > behind ? width - behind : 0),
		 (unsigned long long)(value / one));
	if (digits)
		text_add(t, ".%0*llu", (int)digits, (unsigned long long)(value % one));
}

void text_duration(struct text *t, uint64_t ns)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	uint64_t unit = 1, whole, scale;
	unsigned u = 0, decimals;

	for (; u < 3 && ns >= unit * 1000; unit *= 1000)
		u++;
	whole = ns / unit;
	decimals = u == 0 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
	scale = decimals == 0 ? 1 : decimals == 1 ? 10 : 100;
	text_fixed(t, whole * scale + (ns % unit * scale + unit / 2) / unit, decimals, 0);
	text_add(t, " %s", names[u]);
}

bool text_same(const char *a, const char *b)
{
	return !a || !b ? a == b : strcmp(a, b) == 0;
}

void text_maybe(struct text *t, struct maybe m)
{
	if (m.known)
		text_fixed(t, m.value, 0, 0);
	else
		text_add(t, "n/a");
}

void text_maybe_duration(struct text *t, struct maybe ns)
{
	if (ns.known)
		text_duration(t, ns.value);
	else
		text_add(t, "n/a");
}
