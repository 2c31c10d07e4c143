"""Numbers that belong to people: telephones, bank accounts, payment cards.

Digits stand everywhere, so a shape alone proves nothing. A number counts when its checksum is right (IBAN, card), or
when it is grouped as people write it and begins with a country that exists (telephone). One number in ten passes the
checksum of cards by chance, hence the issuers' ranges beside it.
"""

import re

_COUNTRY_CODES = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21[1-368]|2[2-46]\d|25[0-8]|29[0179]|35\d|37[0-8]|38[0-79]|"
    r"42[0139]|50\d|59\d|67\d|68[0-35-9]|69[0-2]|85[2356]|88[06]|96[0-8]|97[0-7]|99[2-68]"
)
_INTERNATIONAL = re.compile(r"\+(\d+)(?:[ .-]?\(\d{1,5}\))?(?:[ .-]?\d+)?(?:[ .-]\d+){0,5}")
_NATIONAL = re.compile(r"\(?0\d{1,5}\)?(?: ?[ /-] ?\d{2,8}){1,4}|0[1-9]\d{7,11}")
_NOT_ALNUM = re.compile(r"[^A-Z0-9]")
_NOT_DIGIT = re.compile(r"\D")
_FEWEST_DIGITS, _MOST_DIGITS = 9, 15
_LONGEST_CODE = 3
_IBAN_LENGTHS = {
    length: frozenset(countries.split())
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
}
_IBAN_LENGTH = {country: length for length, countries in _IBAN_LENGTHS.items() for country in countries}
_ISSUERS = re.compile(
    r"4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|"
    r"6(?:011|4[4-9]\d|5\d\d|2\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}"
)


def is_phone(value: str) -> bool:
    """With a plus and a country, or national with its leading zero."""
    digits = _NOT_DIGIT.sub("", value)
    if not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS:
        return False
    if not value.startswith("+"):
        return _NATIONAL.fullmatch(value) is not None
    match = _INTERNATIONAL.fullmatch(value)
    if match is None:
        return False
    code = match[1]  # if it is short, it is the country alone
    return (_COUNTRY_CODES.fullmatch(code) if len(code) <= _LONGEST_CODE else _COUNTRY_CODES.match(code)) is not None


def iban_end(text: str) -> int:
    """Where the account number ends with which the text begins; 0 if it begins with none."""
    wanted = _IBAN_LENGTH.get(text[:2], 0)
    end = seen = 0
    while end < len(text) and seen < wanted:
        seen += text[end] != " "
        end += 1
    is_whole = seen == wanted and not text[end : end + 1].isalnum()
    return end if wanted and is_whole and _has_right_iban_checksum(_NOT_ALNUM.sub("", text[:end])) else 0


def is_card(value: str) -> bool:
    """A payment card: the range of an issuer, and the checksum of Luhn."""
    digits = _NOT_DIGIT.sub("", value)
    return _ISSUERS.fullmatch(digits) is not None and _luhn(digits) % 10 == 0


def _has_right_iban_checksum(iban: str) -> bool:
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _luhn(digits: str) -> int:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return sum(doubled) + sum(int(digit) for digit in digits[-1::-2])
