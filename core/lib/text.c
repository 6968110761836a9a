/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounded text: a small printf into a caller's buffer, and numbers for people. */
#include "text.h"

#include "mem.h"

#define DIGITS_MAX 20 /* digits of 2^64 - 1 */

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

static void pad(struct text *t, char c, size_t count)
{
	/* A width may be absurdly large; the buffer bounds the work. */
	while (count-- && !t->overflow)
		text_char(t, c);
}

/* One conversion of the format. */
struct spec {
	bool left, zero;
	size_t width;
	size_t precision; /* SIZE_MAX: none */
	unsigned longs;   /* 0: int, 1: long, 2: long long */
	bool size;        /* z */
	char conversion;
};

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
	for (; *f == 'l' && s->longs < 2; f++)
		s->longs++;
	if (*f == 'z' && !s->longs) {
		s->size = true;
		f++;
	}
	s->conversion = *f;

	bool number = *f && memchr("diuxX", *f, 5);
	bool string = *f == 's' && !s->longs && !s->size;
	bool character = *f == 'c' && !s->longs && !s->size;

	if (!(number || string || character) || (s->precision != SIZE_MAX && !string))
		return NULL;
	return f + 1;
}

static void add_padded(struct text *t, const struct spec *s, const char *bytes, size_t count)
{
	size_t padding = s->width > count ? s->width - count : 0;

	if (!s->left)
		pad(t, ' ', padding);
	text_bytes(t, bytes, count);
	if (s->left)
		pad(t, ' ', padding);
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
	char digits[DIGITS_MAX + 1];
	size_t at = sizeof(digits);

	do {
		digits[--at] = figures[value % base];
		value /= base;
	} while (value);

	size_t count = sizeof(digits) - at;

	if (s->zero && !s->left) {
		if (negative)
			text_char(t, '-');
		count += negative;
		pad(t, '0', s->width > count ? s->width - count : 0);
		text_bytes(t, digits + at, sizeof(digits) - at);
		return;
	}
	if (negative)
		digits[--at] = '-';
	add_padded(t, s, digits + at, sizeof(digits) - at);
}

static uint64_t next_unsigned(const struct spec *s, va_list *args)
{
	if (s->size)
		return va_arg(*args, size_t);
	if (s->longs == 2)
		return va_arg(*args, unsigned long long);
	if (s->longs == 1)
		return va_arg(*args, unsigned long);
	return va_arg(*args, unsigned);
}

static int64_t next_signed(const struct spec *s, va_list *args)
{
	if (s->size)
		return va_arg(*args, ptrdiff_t);
	if (s->longs == 2)
		return va_arg(*args, long long);
	if (s->longs == 1)
		return va_arg(*args, long);
	return va_arg(*args, int);
}

static void add_signed(struct text *t, const struct spec *s, int64_t value)
{
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	add_number(t, s, magnitude, value < 0);
}

static void add_conversion(struct text *t, const struct spec *s, va_list *args)
{
	if (s->conversion == 's') {
		add_string(t, s, va_arg(*args, const char *));
	} else if (s->conversion == 'c') {
		char c = (char)va_arg(*args, int);

		add_padded(t, s, &c, 1);
	} else if (s->conversion == 'd' || s->conversion == 'i') {
		add_signed(t, s, next_signed(s, args));
	} else {
		add_number(t, s, next_unsigned(s, args), false);
	}
}

void text_vadd(struct text *t, const char *format, va_list args)
{
	va_list rest; /* a parameter of type va_list has no address to pass on */
	struct spec s;

	va_copy(rest, args);
	while (*format) {
		if (*format != '%') {
			text_char(t, *format++);
			continue;
		}
		if (format[1] == '%') {
			text_char(t, '%');
			format += 2;
			continue;
		}

		const char *behind = scan_spec(format + 1, &s, &rest);

		if (behind)
			add_conversion(t, &s, &rest);
		else
			text_char(t, '%');
		format = behind ? behind : format + 1;
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
	char buf[2 * DIGITS_MAX + 2];
	size_t at = sizeof(buf);
	unsigned written = 0;

	if (digits > DIGITS_MAX)
		digits = DIGITS_MAX;
	do {
		if (written == digits && digits)
			buf[--at] = '.';
		buf[--at] = (char)('0' + value % 10);
		value /= 10;
		written++;
	} while (value || written <= digits);
	text_add(t, "%*.*s", (int)width, (int)(sizeof(buf) - at), buf + at);
}

void text_duration(struct text *t, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" } };
	static const unsigned powers[] = { 1, 10, 100 };
	unsigned u = 0;

	while (u < 3 && ns >= units[u + 1].ns)
		u++;

	uint64_t unit = units[u].ns;
	uint64_t whole = ns / unit;
	unsigned decimals = u == 0 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
	uint64_t scale = powers[decimals];
	uint64_t fraction = (ns % unit * scale + unit / 2) / unit;

	text_fixed(t, whole * scale + fraction, decimals, 0);
	text_add(t, " %s", units[u].name);
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
