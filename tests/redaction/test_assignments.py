"""A telling name is enough, however a value is given to it: the same invented values in every way of assigning one."""

from collections.abc import Callable

import pytest
from tests.every import for_every

from afterwit.redaction.redaction import Redactor

Fill = Callable[[str], tuple[str, list[str]]]
_WAYS = {
    "ini": "mixerToken={}",
    "ini with blanks": "mixerToken = {}",
    "json": '{{\n  "mixer_token": "{}"\n}}',
    "json in a string": '"{{\\"mixer_token\\": \\"{}\\"}}"',
    "xml element": "<mixerToken>{}</mixerToken>",
    "xml element over lines": "<mixerToken>\n    {}\n</mixerToken>",
    "xml attributes": '<add key="mixerToken" value="{}" />',
    "yaml": "mixer_token: {}",
    "yaml literal block": "mixer_token: |\n  {}",
    "yaml folded block": "mixer_token: >-\n  {}",
    "make, if unset": 'MIXER_TOKEN ?= "{}"',
    "make, at once": 'MIXER_TOKEN ::= "{}"',
    "make, at once and escaped": 'MIXER_TOKEN :::= "{}"',
    "make, more": 'MIXER_TOKEN += "{}"',
    "go": 'var mixerToken string = "{}"',
    "go, short": "mixerToken := `{}`",
    "java": 'String mixerToken = "{}";',
    "java property": 'System.setProperty("MIXER_TOKEN", "{}");',
    "php": "$mixerToken .= '{}';",
    "php constant": "define('MIXER_TOKEN', '{}');",
    "ruby": '"mixerToken" => "{}"',
    "rust": 'let mixer_token: &str = "{}";',
    "kotlin": 'val mixerToken: String = "{}"',
    "python": 'os.environ["MIXER_TOKEN"] = "{}"',
    "node": "process.env.MIXER_TOKEN = '{}'",
    "powershell": '$env:MIXER_TOKEN = "{}"',
    "csh": "setenv MIXER_TOKEN {}",
    "cmd": "set MIXER_TOKEN={}",
    "docker": "docker run -e MIXER_TOKEN={} image",
    "jvm": "java -Dmixer.token={} -jar a.jar",
    "option": "mixer --mixer-token {}",
    "nested quotes": "bash -c 'MIXER_TOKEN='\"'\"'{}'\"'\"' run'",
    "terraform": 'variable "mixer_token" {{\n  default = "{}"\n}}',
    "table": "| MIXER_TOKEN | {} |",
    "csv": "mixerToken,{},",
    "github": 'gh secret set MIXER_TOKEN --body "{}"',
}
_VALUES = ("{an:32}", "{hex:40}", "{lower:24}", "na1.{lower:32}")


@for_every("template", _VALUES)
@for_every("way", _WAYS)
def test_a_value_with_a_telling_name_survives_in_no_way_of_assigning_it(
    way: str, template: str, fill: Fill, redactor: Redactor
) -> None:
    value = fill(template)[0]
    assert value not in redactor.text(_WAYS[way].format(value))


@pytest.mark.parametrize(
    "text",
    [
        'password = "zq8\\"k1dx\\"77mm"',
        "API_TOKEN=kduwoqpzmebtahxi",
        "openssl enc -aes-256-cbc -k zq81kdx77mm -in a -out b",
        "net use Z: \\\\srv\\share /user:corp\\demo zq81kdx77mm",
        "curl -s \\\n  -X POST \\\n  -u demo:zq81kdx77mm \\\n  https://api.example",
        "<Pass>\n  zq81kdx77mm\n</Pass>",
        '<entry key="ClearTextPassword" value="zq81kdx77mm"/>',
        "kind: Secret\ndata:\n  value: enE4MWtkeDc3bW0=\n",
    ],
)
def test_an_odd_place_hides_no_secret(text: str, redactor: Redactor) -> None:
    redacted = redactor.text(text)
    assert not any(part in redacted for part in ("k1dx", "zq81kdx77mm", "kduwoqpzmebtahxi", "enE4MWtkeDc3bW0="))


@pytest.mark.parametrize(
    "text",
    [
        "config.apiKey = settings.apiKey",
        'token := os.Getenv("MIXER_TOKEN")',
        "var mixerToken string",
        "MIXER_TOKEN ?= ${TOKEN}",
        "mixer_token: |\n  <your-token>",
        "| token | description |",
        'System.setProperty("mixer.token", "")',
        "<token>string</token>",
        "kind: Secret\nmetadata:\n  name: my-app\n",
        "go test -run 'TestUsesStoredToken|TestResolveAuthMethodRefreshesExpired'",
        'cache_key = "user-settings-v2"',
    ],
)
def test_what_only_looks_like_an_assignment_of_a_secret_stays(text: str, redactor: Redactor) -> None:
    assert redactor.text(text) == text
