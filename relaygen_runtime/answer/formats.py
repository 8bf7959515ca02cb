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
_LABEL = "[a-z0-9]{1,20}(-[a-z0-9]{1,20}){0,2}"
_HOST = rf"({_LABEL}\.){{1,3}}[a-z]{{2,10}}"
_OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"{_OCTET}(\.{_OCTET}){{3}}"
_GROUP = "[0-9a-f]{1,4}"
_IPV6 = "|".join(
    [rf"({_GROUP}:){{7}}{_GROUP}", rf"::({_GROUP}(:{_GROUP}){{0,6}})?"]
    + [rf"{_GROUP}(:{_GROUP}){{{left}}}::({_GROUP}(:{_GROUP}){{0,{5 - left}}})?" for left in range(6)]
)
_PATH = r"[A-Za-z0-9._~!$&'()*+,;=:@/-]{0,200}"
_QUERY = r"[A-Za-z0-9._~!$&'()*+,;=:@/?-]{0,200}"
_URI_END = rf"(\?{_QUERY})?(#{_QUERY})?"
_URI = (
    rf"([a-z][a-z0-9+.-]{{0,15}}://({_HOST}|localhost|{_IPV4})(:[1-9]\d{{0,3}})?(/{_PATH})?{_URI_END}"
    rf"|(urn|mailto|tel):[A-Za-z0-9]{_PATH}{_URI_END})"
)
_CLOCK = r"(\d{1,4}H(\d{1,4}M(\d{1,4}S)?)?|\d{1,4}M(\d{1,4}S)?|\d{1,4}S)"

FORMATS: dict[str, str] = {
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "duration": rf"P(\d{{1,4}}W|\d{{1,6}}D(T{_CLOCK})?|T{_CLOCK})",
    "email": rf"[A-Za-z0-9_+-]{{1,20}}(\.[A-Za-z0-9_+-]{{1,20}}){{0,2}}@{_HOST}",
    "hostname": _HOST,
    "ipv4": _IPV4,
    "ipv6": f"({_IPV6})",
    "uri": _URI,
    "uuid": "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
}
"""Format to the pattern of the whole string."""

WITHOUT_MEANING = frozenset({"password", "binary", "path", "float", "double"})
"""Formats that restrict nothing: every string (or number) has them."""
