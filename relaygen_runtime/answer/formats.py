r"""The string formats that hold by construction, as patterns.

Owns the table. Each pattern matches only valid texts of its format (not all of them: a year has four digits, an address
no comment). A format that is not here is refused, but for those that restrict nothing.
"""

from __future__ import annotations

__all__ = ["FORMATS", "WITHOUT_MEANING"]

_TWO_DIGIT_LEAP = "0[48]|[2468][048]|[13579][26]"
_YEAR = r"[1-9]\d{3}"
_LEAP_YEAR = rf"([1-9]\d({_TWO_DIGIT_LEAP})|([2468][048]|[13579][26])00)"
_DATE = (
    rf"({_YEAR}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))"
    rf"|{_LEAP_YEAR}-02-29)"
)
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)"
# A label has at most 63 characters, and here no two hyphens in a row (some of those are codes); a host has
# at most 253, an address 254.
_LABEL = "([A-Za-z0-9]{1,63}|[A-Za-z0-9]{1,15}(-[A-Za-z0-9]{1,15}){1,3})"
_NAME = rf"({_LABEL}\.){{1,3}}[A-Za-z]{{2,20}}"
_HOST = f"({_NAME}|localhost)"
_SHORT_LABEL = "([A-Za-z0-9]{1,57}|[A-Za-z0-9]{1,15}(-[A-Za-z0-9]{1,13}){1,3})"
_SHORT_NAME = rf"({_SHORT_LABEL}\.){{1,3}}[A-Za-z]{{2,14}}"
_PORT = r"([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])"
_OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"{_OCTET}(\.{_OCTET}){{3}}"
_GROUP = "[0-9a-fA-F]{1,4}"
_IPV6 = "|".join(
    [rf"({_GROUP}:){{7}}{_GROUP}", rf"::({_GROUP}(:{_GROUP}){{0,6}})?"]
    + [rf"{_GROUP}(:{_GROUP}){{{left}}}::({_GROUP}(:{_GROUP}){{0,{5 - left}}})?" for left in range(6)]
)
_ENCODED = "(%[0-9A-Fa-f]{2}){1,18}"
_IN_PATH = "[A-Za-z0-9._~!$&'()*+,;=:@/-]"
_IN_QUERY = "[A-Za-z0-9._~!$&'()*+,;=:@/?-]"
_PATH = rf"{_IN_PATH}{{0,150}}({_ENCODED}{_IN_PATH}{{0,30}}){{0,4}}"
_QUERY = rf"{_IN_QUERY}{{0,150}}({_ENCODED}{_IN_QUERY}{{0,30}}){{0,4}}"
_URI_END = rf"(\?{_QUERY})?(#{_QUERY})?"
_URI = (
    rf"([a-z][a-z0-9+.-]{{0,15}}://({_HOST}|{_IPV4})(:{_PORT})?(/{_PATH})?{_URI_END}"
    rf"|(urn|mailto|tel):[A-Za-z0-9]{_PATH}{_URI_END})"
)
_SECONDS = r"\d{1,4}(\.\d{1,6})?S"
_MINUTES = rf"\d{{1,4}}M({_SECONDS})?"
_CLOCK = rf"(\d{{1,4}}H({_MINUTES})?|{_MINUTES}|{_SECONDS})"
_DAYS = r"\d{1,6}D"
_MONTHS = rf"\d{{1,4}}M({_DAYS})?"
_CALENDAR = rf"(\d{{1,4}}Y({_MONTHS})?|{_MONTHS}|{_DAYS})"

FORMATS: dict[str, str] = {
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "duration": rf"P(\d{{1,4}}W|{_CALENDAR}(T{_CLOCK})?|T{_CLOCK})",
    "email": rf"[A-Za-z0-9_+-]{{1,22}}(\.[A-Za-z0-9_+-]{{1,20}}){{0,2}}@{_SHORT_NAME}",
    "hostname": _HOST,
    "ipv4": _IPV4,
    "ipv6": f"({_IPV6})",
    "uri": _URI,
    "uuid": "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}
"""Format to the pattern of the whole string."""

WITHOUT_MEANING = frozenset({"password", "binary", "path", "float", "double"})
"""Formats that restrict nothing: every string (or number) has them."""
