# MicroPython, not Python: what the text of `rfop_env/browser/python_source.py` needs and MicroPython lacks.

import array
import math
from collections import OrderedDict, namedtuple

MOST_RESULTS = 8192  # that a cache holds before it begins anew


# -- classes and functions ---------------------------------------------------------------------------------------------


class cached_property:
    def __init__(self, function):
        self.function = function

    def __get__(self, owner, kind=None):
        value = self.function(owner)
        setattr(owner, self.function.__name__, value)
        return value


def instance(__class, **attributes):
    owner = object.__new__(__class)
    for name, value in attributes.items():
        setattr(owner, name, value)
    return owner


def cached(function):
    results = {}

    def result(*arguments):
        if arguments not in results:
            if len(results) > MOST_RESULTS:
                results.clear()
            results[arguments] = function(*arguments)
        return results[arguments]

    return result


def partial(function, *first, **keywords):
    return lambda *further, **options: function(*first, *further, **merged(keywords, options))


# -- containers: dictionaries have no order here, and sorting is not stable --------------------------------------------


def merged(*parts):
    union = OrderedDict()
    for part in parts:
        union.update(part)
    return union


def stable_sorted(values, key=None, reverse=False):
    if key is None:
        return sorted(values, reverse=reverse)
    sign = -1 if reverse else 1
    rows = [(key(value), sign * i, value) for i, value in enumerate(values)]
    rows.sort(reverse=reverse)
    return [row[2] for row in rows]


def stepped(values, start, stop, step):
    size = len(values)
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = (low, high) if step > 0 else (high, low)
    if start is not None:
        first = max(low, min(high, start + size if start < 0 else start))
    if stop is not None:
        last = max(low, min(high, stop + size if stop < 0 else stop))
    items = [values[i] for i in range(first, last, step)]
    return "".join(items) if isinstance(values, str) else tuple(items) if isinstance(values, tuple) else items


def Counter(values):
    counts = OrderedDict()
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts


def count(start=0):
    while True:
        yield start
        start += 1


# -- texts: case and spaces beyond ASCII -------------------------------------------------------------------------------

LOWER = "àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿœšž"
UPPER = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞŸŒŠŽ"
TO_UPPER, TO_LOWER = dict(zip(LOWER, UPPER)), dict(zip(UPPER, LOWER))
TO_UPPER["ß"] = "SS"
RARE_SPACES = "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
RARE_SPACES += "\u2028\u2029\u202f\u205f\u3000"
SPACES = " \t\n\r\x0b\x0c" + RARE_SPACES


def mapped(text, letters):
    return text if len(text.encode()) == len(text) else "".join([letters.get(c, c) for c in text])


def str_upper(text):
    return mapped(text.upper(), TO_UPPER)


def str_lower(text):
    return mapped(text.lower(), TO_LOWER)


def str_capitalize(text):
    return str_upper(text[:1]) + str_lower(text[1:])


def str_removeprefix(text, prefix):
    return text[len(prefix) :] if text.startswith(prefix) else text


def str_removesuffix(text, suffix):
    return text[: len(text) - len(suffix)] if text.endswith(suffix) else text


def str_split(text):
    for space in RARE_SPACES:
        if space in text:
            text = text.replace(space, " ")
    return text.split()


def str_strip(text):
    return str_lstrip(str_rstrip(text))


def str_lstrip(text):
    start = 0
    while start < len(text) and text[start] in SPACES:
        start += 1
    return text[start:]


def str_rstrip(text):
    end = len(text)
    while end and text[end - 1] in SPACES:
        end -= 1
    return text[:end]


def escape(text):
    if "&" in text or "<" in text or ">" in text:
        return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")
    return text


@cached
def quoteattr(text):
    text = escape(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    if '"' not in text:
        return '"' + text + '"'
    return '"' + text.replace('"', "&quot;") + '"' if "'" in text else "'" + text + "'"


# -- numbers as texts, to the last digit of CPython --------------------------------------------------------------------

TENS = [10**k for k in range(24)]
int_texts, float_texts, general_texts, fixed_texts = {}, {}, {}, {}


def remembered(texts, x, text):
    if len(texts) > MOST_RESULTS:
        texts.clear()
    if x != 0:  # it may be -0.0
        texts[x] = text
    return text


def scaled(x, places):
    """The integer nearest to x * 10**places, for x from 0; of two the even one."""
    y = x * TENS[places]
    if y < 1e9:
        n = int(y)
        part = y - n
        if not 0.49999 < part < 0.50001:
            return n + int(part > 0.5)
    top, bottom = x, 1
    while top != int(top):
        top *= 2
        bottom *= 2
    n, part = divmod(int(top) * TENS[places], bottom)
    return n + int(2 * part > bottom or (2 * part == bottom and n % 2 == 1))


def with_point(x, n, places):
    """n / 10**places in digits, with the sign of x."""
    digits = str(n)
    if places:
        digits = "0" * (places + 1 - len(digits)) + digits
        digits = digits[:-places] + "." + digits[-places:]
    return "-" + digits if x < 0 or (x == 0 and str(x)[0] == "-") else digits


def fixed(x, places):
    """f"{x:.1f}" for one place."""
    if places != 1:
        return with_point(x, scaled(abs(x), places), places)
    return fixed_texts.get(x) or remembered(fixed_texts, x, with_point(x, scaled(abs(x), 1), 1))


def general(x):
    """f"{x:g}"."""
    return general_texts.get(x) or remembered(general_texts, x, general_text(x))


def general_text(x):
    size = abs(x)
    if size == 0 or not 1e-4 <= size < 999999:
        return f"{float(x):g}"
    places = 5
    while size >= TENS[6 - places]:
        places -= 1
    while size < 1:
        size *= 10
        places += 1
    text = with_point(x, scaled(abs(x), places), places)
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_text(value):
    """str(value)"""
    kind = type(value)
    if kind is str:
        return value
    if kind is int:
        return int_texts.get(value) or remembered(int_texts, value, str(value))
    if kind is float:
        return float_texts.get(value) or remembered(float_texts, value, shortest(value))
    return str(value)


def shortest(x):
    """The shortest text of a number that reads back as it."""
    size = abs(x)
    if not 1e-4 <= size < 1e15:
        return str(x)
    for places in range(1, 22):
        text = with_point(x, scaled(size, places), places)
        if float(text) == x:
            return text
    return str(x)


def rounded(x, places=None):
    """round(x, places)"""
    if places is None or type(x) is int:
        return round(x)
    return math.copysign(scaled(abs(x), places) / TENS[places], x)


def hypot(x, y):
    return math.sqrt(x * x + y * y)


# -- arrays and records ------------------------------------------------------------------------------------------------

SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8}


def product(sizes):
    size = 1
    for n in sizes:
        size *= n
    return size


class Array:
    """Numbers in a row, and a shape: as much of NumPy's arrays as drawings use."""

    def __init__(self, numbers, shape):
        self.numbers = numbers
        self.shape = shape

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return iter(self.numbers) if len(self.shape) == 1 else iter([self[i] for i in range(self.shape[0])])

    def __getitem__(self, at):
        numbers, shape = self.numbers, self.shape
        if type(at) is int:
            if len(shape) == 1:
                return numbers[at]
            if at < 0:
                at += shape[0]
            if not 0 <= at < shape[0]:
                raise IndexError(at)
            size = product(shape[1:])
            return Array(numbers[size * at : size * (at + 1)], shape[1:])
        if type(at) is tuple:
            if len(at) == len(shape) == 2 and type(at[0]) is int and type(at[1]) is int:
                if 0 <= at[0] < shape[0] and 0 <= at[1] < shape[1]:
                    return numbers[at[0] * shape[1] + at[1]]
            inner = at[1] if len(at) == 2 else at[1:]
            return stacked([row[inner] for row in self[at[0]]]) if isinstance(at[0], slice) else self[at[0]][inner]
        if isinstance(at, slice):
            return stacked([self[i] for i in range(shape[0])[at]])
        return stacked([row for row, is_chosen in zip(self, at.numbers) if is_chosen])

    def tolist(self):
        return list(self.numbers) if len(self.shape) == 1 else [row.tolist() for row in self]

    def pairwise(self, operand, compare):
        if not isinstance(operand, Array):
            return Array([compare(x, operand) for x in self.numbers], self.shape)
        if operand.shape != self.shape:
            raise ValueError("arrays of different shapes")
        return Array([compare(x, y) for x, y in zip(self.numbers, operand.numbers)], self.shape)

    def __eq__(self, operand):
        return self.pairwise(operand, lambda x, y: x == y)

    def __ne__(self, operand):
        return self.pairwise(operand, lambda x, y: x != y)

    def __lt__(self, operand):
        return self.pairwise(operand, lambda x, y: x < y)

    def __le__(self, operand):
        return self.pairwise(operand, lambda x, y: x <= y)

    def __gt__(self, operand):
        return self.pairwise(operand, lambda x, y: x > y)

    def __ge__(self, operand):
        return self.pairwise(operand, lambda x, y: x >= y)

    def __and__(self, operand):
        return self.pairwise(operand, lambda x, y: x & y)

    def __or__(self, operand):
        return self.pairwise(operand, lambda x, y: x | y)

    def along(self, axis, reduce):
        if axis is None:
            return reduce(self.numbers)
        rows = self.tolist() if axis else [[row[k] for row in self] for k in range(self.shape[1])]
        return Array([reduce(row) for row in rows], (len(rows),))

    def any(self, axis=None):
        return self.along(axis, any)

    def all(self, axis=None):
        return self.along(axis, all)

    def sum(self, axis=None):
        return self.along(axis, sum)


def stacked(rows):
    """Numbers, or arrays of one shape, as one array."""
    if not rows or not isinstance(rows[0], Array):
        return Array(rows, (len(rows),))
    return Array([x for row in rows for x in row.numbers], (len(rows),) + rows[0].shape)


def flatnonzero(values):
    places = [i for i, x in enumerate(values.numbers) if x]
    return Array(places, (len(places),))


def argwhere(values):
    places = [divmod(i, values.shape[1]) for i, x in enumerate(values.numbers) if x]
    return Array([x for place in places for x in place], (len(places), 2))


class Record:
    """A record of a game. `layout`: type code, offset and shape of each field, which is read where it is asked for."""

    def __init__(self, data, layout):
        self._data = data
        self._layout = layout

    def __getattr__(self, name):
        if name not in self._layout:
            raise AttributeError(name)
        code, offset, shape = self._layout[name]
        numbers = array.array(code, self._data[offset : offset + SIZES[code] * product(shape)])
        value = Array(numbers, shape) if shape else numbers[0]
        setattr(self, name, value)
        return value


class Records:
    """A record as NumPy's array of one."""

    def __init__(self, record):
        self.record = record

    def view(self, kind):
        return self

    def __getitem__(self, at):
        if at == 0:
            return self.record
        values = getattr(self.record, at)
        return Array(values.numbers, (1,) + values.shape) if isinstance(values, Array) else Array([values], (1,))


def frombuffer(data, layout):
    return Records(Record(data, layout))


recarray = None
