"""Secrets of known formats with invented values, written down without looking at the rules that should find them."""

import random
import string

_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_DIGITS = string.digits


def planted() -> dict[str, str]:
    """Name of the format → one secret of it. Always the same."""
    rng = random.Random("planted")

    def some(size: int, alphabet: str = _LETTERS) -> str:
        return "".join(rng.choices(alphabet, k=size))

    def dashed(*sizes: int) -> str:
        return "-".join(some(size, _HEX) for size in sizes)

    upper = string.ascii_uppercase + _DIGITS
    return {
        "aws access key": "AKIA" + some(16, string.ascii_uppercase + "234567"),
        "aws temporary key": "ASIA" + some(16, string.ascii_uppercase + "234567"),
        "google api key": "AIza" + some(35),
        "google oauth token": "ya29." + some(68),
        "google client secret": "GOCSPX-" + some(28),
        "github token": "ghp_" + some(36),
        "github oauth": "gho_" + some(36),
        "github app": "ghs_" + some(36),
        "github refresh": "ghr_" + some(36),
        "github user to server": "ghu_" + some(36),
        "github fine grained": "github_pat_" + some(22) + "_" + some(59),
        "gitlab personal": "glpat-" + some(20),
        "gitlab runner": "glrt-" + some(20),
        "gitlab trigger": "glptt-" + some(40, _HEX),
        "npm": "npm_" + some(36),
        "pypi": "pypi-AgEIcHlwaS5vcmc" + some(90),
        "rubygems": "rubygems_" + some(48, _HEX),
        "docker hub": "dckr_pat_" + some(27),
        "openai": "sk-" + some(20) + "T3BlbkFJ" + some(20),
        "openai project": "sk-proj-" + some(60) + "T3BlbkFJ" + some(60),
        "anthropic": "sk-ant-api03-" + some(93) + "AA",
        "xai": "xai-" + some(80),
        "groq": "gsk_" + some(52),
        "hugging face": "hf_" + some(34, string.ascii_letters),
        "replicate": "r8_" + some(37),
        "perplexity": "pplx-" + some(48),
        "openrouter": "sk-or-v1-" + some(64, _HEX),
        "slack bot": "xoxb-" + some(12, _DIGITS) + "-" + some(12, _DIGITS) + "-" + some(24),
        "slack user": "xoxp-" + "-".join(some(12, _DIGITS) for _ in range(3)) + "-" + some(32, _HEX),
        "slack app": "xapp-1-A" + some(10, upper) + "-" + some(13, _DIGITS) + "-" + some(64, _HEX),
        "slack webhook": f"https://hooks.slack.com/services/T{some(8, upper)}/B{some(10, upper)}/{some(24)}",
        "discord webhook": f"https://discord.com/api/webhooks/{some(18, _DIGITS)}/{some(68)}",
        "telegram": some(10, "123456789") + ":AA" + some(33),
        "twilio key": "SK" + some(32, _HEX),
        "sendgrid": "SG." + some(22) + "." + some(43),
        "mailgun": "key-" + some(32, _HEX),
        "mailchimp": some(32, _HEX) + "-us12",
        "stripe live": "sk_live_" + some(24),
        "stripe test": "sk_test_" + some(24),
        "stripe restricted": "rk_live_" + some(24),
        "stripe webhook": "whsec_" + some(32),
        "square": "sq0atp-" + some(22),
        "shopify": "shpat_" + some(32, _HEX),
        "shopify shared": "shpss_" + some(32, _HEX),
        "digitalocean": "dop_v1_" + some(64, _HEX),
        "heroku": "HRKU-AA" + some(58),
        "fly": "fo1_" + some(43),
        "netlify": "nfp_" + some(36),
        "supabase": "sbp_" + some(40, _HEX),
        "planetscale": "pscale_tkn_" + some(43),
        "planetscale password": "pscale_pw_" + some(43),
        "databricks": "dapi" + some(32, _HEX),
        "new relic": "NRAK-" + some(27, upper),
        "grafana": "glsa_" + some(32) + "_" + some(8, _HEX),
        "sentry": "sntrys_" + some(90),
        "vault": "hvs." + some(90),
        "terraform": some(14) + ".atlasv1." + some(64),
        "pulumi": "pul-" + some(40, _HEX),
        "doppler": "dp.pt." + some(43),
        "age key": "AGE-SECRET-KEY-1" + some(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
        "atlassian": "ATATT3xFfGF0" + some(180),
        "linear": "lin_api_" + some(40),
        "notion": "ntn_" + some(46),
        "figma": "figd_" + some(40),
        "airtable": "pat" + some(14) + "." + some(64, _HEX),
        "dropbox": "sl." + some(130),
        "mapbox": "sk.eyJ" + some(60) + "." + some(22),
        "sourcegraph": "sgp_" + some(40, _HEX),
        "buildkite": "bkua_" + some(40, _HEX),
        "circleci": "CCIPAT_" + some(22) + "_" + some(40, _HEX),
        "postman": "PMAK-" + some(24, _HEX) + "-" + some(34, _HEX),
        "json web token": "eyJhbGciOiJIUzI1NiJ9.eyJ" + some(40) + "." + some(43),
        "azure storage": f"AccountKey={some(86)}==",
        "bearer": f"Authorization: Bearer {some(40)}",
        "basic": f"Authorization: Basic {some(38)}==",
        "password variable": f"DB_PASSWORD={some(18)}",
        "postgres url": f"postgres://app:{some(16)}@db.internal:5432/prod",
        "redis url": f"redis://:{some(20)}@cache.internal:6379/0",
        "url login": f"https://deploy:{some(20)}@repo.internal/x.git",
        "uuid api key": f"api_key = '{dashed(8, 4, 4, 4, 12)}'",
    }


def cores(secret: str) -> str:
    """The part of a planted text that must not survive: without the name, the user or the address around it."""
    for start, end in (
        ("Bearer ", ""),
        ("Basic ", ""),
        ("AccountKey=", ""),
        ("DB_PASSWORD=", ""),
        ("api_key = '", "'"),
    ):
        if start in secret:
            return secret.partition(start)[2].removesuffix(end)
    if "://" in secret and "@" in secret:
        return secret.partition("://")[2].partition("@")[0].partition(":")[2]
    return secret.rpartition("/")[2] if secret.startswith("https://") else secret
