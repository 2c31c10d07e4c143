"""How each client is started for one prompt: the settings it finds in its home, its arguments, its variables.

Every client gets a dummy key and the scripted model as its only provider; telemetry and updates are off; it may run
shell commands without asking. Nothing is taken from the surroundings but where programs lie. Starting and ending the
process is left to `process`.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.e2e.clients import NODE, Client

_KEY = "dummy"
_MODEL = "scripted"
_CONTEXT = 200_000  # tokens


class Place(NamedTuple):
    """Where a client runs, and which model it may speak to."""

    home: Path
    project: Path
    url: str


class Launch(NamedTuple):
    """What to start."""

    arguments: tuple[str, ...]
    environ: Mapping[str, str] = {}


def command(
    client: Client, place: Place, prompt: str, *, continues: bool = False, edits: bool = False
) -> tuple[list[str], dict[str, str]]:
    """The command line and the whole environment, for a new session or to go on with the latest one. Settings are
    written on the way, where there are none. `edits`: the model may edit files with the client's own tool."""
    launch = _LAUNCHES[client.name](place, prompt)
    more = _CONTINUED.get(client.name, ("--continue",)) if continues else ()
    more += _EDITING.get(client.name, ()) if edits else ()
    path = f"{place.home}/bin:{client.programs}:{NODE.programs}:/usr/local/bin:/usr/bin:/bin"
    environ = {**_SURROUNDINGS, "PATH": path, "HOME": str(place.home), **launch.environ}
    return [str(client.program), *launch.arguments, *more], environ


_CONTINUED: Mapping[str, tuple[str, ...]] = {"gemini": ("--resume", "latest")}
# Only to models that it knows does Codex offer its tool for patches, and to those it offers other tools less plainly.
_EDITING: Mapping[str, tuple[str, ...]] = {
    "claude-code": ("--permission-mode", "acceptEdits"),
    "codex": ("--model", "gpt-5.5"),
}
_SURROUNDINGS = {
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "USER": "ada",
    "SHELL": "/bin/bash",
    "NO_COLOR": "1",
    "DO_NOT_TRACK": "1",
    "AFTERWIT_HOOK_SECONDS": "60",  # a machine that does other things beside must not decide a test
}


def _claude_code(place: Place, prompt: str) -> Launch:
    return Launch(
        ("-p", prompt, "--allowedTools", "Bash", "mcp__afterwit"),
        {
            "ANTHROPIC_BASE_URL": place.url,
            "ANTHROPIC_API_KEY": _KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "ENABLE_TOOL_SEARCH": "false",
        },
    )


def _codex(place: Place, prompt: str) -> Launch:
    settings = f"""
model = "gpt-5.3-codex"
model_provider = "loop"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = 150000
[model_providers.loop]
name = "loop"
base_url = "{place.url}/v1"
wire_api = "responses"
env_key = "LOOP_KEY"
[analytics]
enabled = false
"""
    _put(place.home / ".codex/config.toml", settings)
    # Trusting a hook is for the user; the flag stands for it.
    return Launch(("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt), {"LOOP_KEY": _KEY})


def _gemini(place: Place, prompt: str) -> Launch:
    _put(place.home / ".gemini/settings.json", _quiet("gemini-api-key"))
    # With a model that it knows, it asks no router which one to take.
    arguments = ("-m", "gemini-2.5-flash", "-p", prompt, "--yolo", "--skip-trust")
    return Launch(
        arguments,
        {"GEMINI_API_KEY": _KEY, "GOOGLE_GEMINI_BASE_URL": place.url, "GEMINI_TELEMETRY_ENABLED": "false"},
    )


def _qwen(place: Place, prompt: str) -> Launch:
    _put(place.home / ".qwen/settings.json", _quiet("openai"))
    environ = {"OPENAI_API_KEY": _KEY, "OPENAI_BASE_URL": f"{place.url}/v1", "OPENAI_MODEL": _MODEL}
    return Launch(("-p", prompt, "--yolo"), environ)


def _copilot(place: Place, prompt: str) -> Launch:
    return Launch(
        ("-p", prompt, "--allow-all-tools", "--allow-all-paths"),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
            "COPILOT_PROVIDER_API_KEY": _KEY,
            "COPILOT_MODEL": _MODEL,
        },
    )


def _opencode(place: Place, prompt: str) -> Launch:
    model = f"loop/{_MODEL}"
    loop = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.url}/v1", "apiKey": _KEY},
        "models": {_MODEL: {"limit": {"context": _CONTEXT, "output": 1_000}}},
    }
    settings = {
        "provider": {"loop": loop},
        "enabled_providers": ["loop"],
        "model": model,
        "small_model": model,
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": "allow"},
    }
    _put(place.home / ".config/opencode/opencode.json", json.dumps(settings))
    # Where it finds a plugin it asks the registry for a package, which it can do without, again and again.
    _put(place.home / ".npmrc", "fetch-retries=0\nfetch-timeout=1000\n")
    quiet = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD")
    # It puts an argument with a space into quotes, and those become part of the prompt.
    return Launch(("run", *prompt.split(" ")), dict.fromkeys(quiet, "1"))


def _pi(place: Place, prompt: str) -> Launch:
    model = {"id": _MODEL, "name": _MODEL, "input": ["text"], "contextWindow": _CONTEXT, "maxTokens": 1_000}
    loop = {"baseUrl": f"{place.url}/v1", "apiKey": _KEY, "api": "openai-completions", "models": [model]}
    _put(place.home / ".pi/agent/models.json", json.dumps({"providers": {"loop": loop}}))
    # What a session of tests says is little: a compaction would keep it all.
    _put(place.home / ".pi/agent/settings.json", json.dumps({"compaction": {"keepRecentTokens": 1}}))
    environ = {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"}
    return Launch(("-p", "--provider", "loop", "--model", _MODEL, prompt), environ)


def _hermes(place: Place, prompt: str) -> Launch:
    settings = f"""
model:
  provider: custom
  default: {_MODEL}
  base_url: {place.url}/v1
  api_key: {_KEY}
"""
    _put(place.home / ".hermes/config.yaml", settings)
    return Launch(("-z", prompt, "--yolo"))


def _kimi_code(place: Place, prompt: str) -> Launch:
    settings = f"""
default_model = "{_MODEL}"
[providers.loop]
type = "openai"
base_url = "{place.url}/v1"
api_key = "{_KEY}"
[models.{_MODEL}]
provider = "loop"
model = "{_MODEL}"
max_context_size = {_CONTEXT}
"""
    _put(place.home / ".kimi-code/config.toml", settings)
    return Launch(("-p", prompt))


def _openhands(place: Place, prompt: str) -> Launch:
    return Launch(
        ("--headless", "--json", "--override-with-envs", "-t", prompt),
        {
            "LLM_API_KEY": _KEY,
            "LLM_BASE_URL": f"{place.url}/v1",
            "LLM_MODEL": f"openai/{_MODEL}",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENHANDS_SUPPRESS_BANNER": "1",
        },
    )


def _cline_cli(place: Place, prompt: str) -> Launch:
    name = "openai-compatible"
    settings = {"provider": name, "apiKey": _KEY, "model": _MODEL, "baseUrl": f"{place.url}/v1"}
    entry = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    providers = {"version": 1, "lastUsedProvider": name, "modes": {}, "providers": {name: entry}}
    _put(place.home / ".cline/data/settings/providers.json", json.dumps(providers))
    return Launch((prompt,), {"CLINE_NO_AUTO_UPDATE": "1"})


def _quiet(authentication: str) -> str:
    """Settings that Gemini CLI and its fork Qwen Code share."""
    settings = {
        "security": {"auth": {"selectedType": authentication}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
    }
    return json.dumps(settings)


def _put(path: Path, text: str) -> None:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


_LAUNCHES: Mapping[str, Callable[[Place, str], Launch]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
    "copilot": _copilot,
    "opencode": _opencode,
    "pi": _pi,
    "hermes": _hermes,
    "kimi-code": _kimi_code,
    "openhands": _openhands,
    "cline-cli": _cline_cli,
}
