"""Tables behind `power`: what reaches hosts, brings in code, checks less or takes more rights, by its kind.

Families rather than single words: a flag that begins with `--skip-` lowers a guard whatever it skips. Data alone.
"""

import re

from afterwit.actions.shell.programs import MODULE_RUNNERS, names
from afterwit.harvest.commands.harmless_table import READS as READS  # noqa: PLC0414 - one of these tables
from afterwit.harvest.commands.harmless_table import RUNNERS
from afterwit.harvest.commands.harmless_table import SETTINGS as HARMLESS_SETTINGS
from afterwit.harvest.commands.purposes import KNOWN_PROGRAMS
from afterwit.model.text import regex

RIGHTS = names(
    "sudo doas su pkexec runas chmod chown chgrp setfacl chattr setcap usermod useradd visudo passwd ssh-add"
    " ssh-keygen gpg security keychain pass op vault doppler infisical aws-vault xattr spctl csrutil setenforce"
    " iptables ufw mount umount nsenter chroot launchctl systemctl crontab at"
)
REACHING = names("ssh scp sftp rsync curl wget nc ncat telnet ftp socat mosh http https xh aria2c")
SCRIPTED = names("eval source . exec trap alias crontab")
INTERPRETERS = names(
    "sh bash zsh dash ksh fish python python3 perl ruby node bun deno php lua osascript iex pwsh tclsh"
)
INLINE = names("-c -e --eval -p --print -E -r")
SANDBOXES = names("firejail bwrap sandbox-exec nsjail unshare docker podman systemd-run chronic")
FETCHING = names("npx bunx pnpx uvx")
FETCHING_ALL = FETCHING | {"bun x", "npm exec", "pnpm dlx", "yarn dlx", "uv tool run", "pipx run"}
KNOWN = (
    KNOWN_PROGRAMS
    | MODULE_RUNNERS
    | names(
        "cat od xxd hexdump head tail less more wc sort uniq cut tr sed awk grep egrep rg ag ack find fd ls tree"
        " stat file diff cmp jq yq printf echo test true pwd cd which type date basename dirname realpath readlink"
        " touch mkdir cp mv ln tar unzip gunzip git gh glab docker-compose docker podman compose kubectl helm"
        " terraform go cargo rustc rustup npm pnpm yarn bun deno node python python2 python3 pip pip3 uv poetry"
        " pdm pipenv ruby bundle rake gem java javac mvn mvnw gradle gradlew php composer dotnet swift mix elixir"
        " erl make gmake cmake ninja just task mise asdf tox nox psql sqlite3 mysql redis-cli protoc buf sqlc tsx"
        " ts-node tsc uvicorn gunicorn gofmt claude codex gemini open xdg-open"
    )
)
INSTALLS = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), names(
        "install i add ci link up update upgrade create init dlx x"
    )),
    **dict.fromkeys(("pip", "pip3", "pipx", "gem", "brew", "apt", "apt-get", "dnf", "yum", "conda", "mamba", "snap",
                     "flatpak", "choco", "winget", "scoop", "port", "nix-env", "pacman", "apk"),
                    names("install add inject download upgrade update -S -i")),
    "uv": names("add pip tool"), "poetry": names("add install self"), "pdm": names("add install"),
    "pipenv": names("install"), "cargo": names("install add binstall"), "go": names("install get run"),
    "composer": names("require install global"), "dotnet": names("add tool"), "mise": names("use install plugin"),
    "asdf": names("install plugin"), "deno": names("install add run"), "gh": names("extension"),
    "claude": names(
        "mcp plugin"
    ), "codex": names("mcp"), "gemini": names("extensions mcp"),
    "code": names("--install-extension"),
    "docker": names("run pull exec load import"), "podman": names("run pull exec load import"),
    "helm": names("install upgrade repo"), "kubectl": names("apply run exec create"), "git": names("clone submodule"),
    "bundle": names("add install"), "rustup": names("component toolchain target"), "mix": names("archive.install"),
}  # fmt: skip
REMOTES = {"git": names("push fetch pull remote ls-remote"), "gh": names("api auth"), "docker": names("push login")}
LOWERS = regex(
    r"--?(?:no-?verif\w*|force[\w-]*|yolo|insecure\w*|privileged|dangerous[\w-]*|unsafe[\w-]*|trust[\w-]*|bypass[\w-]*"
    r"|skip[\w-]*|disable[\w-]*|allow[\w-]*|ignore[\w-]*|exclude[\w-]*|accept[\w-]*|assume[\w-]*|auto-?(?:approve|confirm"
    r"|accept)[\w-]*|yes|admin|hard|delete|full-auto|break-[\w-]*|legacy-[\w-]*|without-[\w-]*|nocheck|permissive|lax"
    r"|approval[\w-]*|permission[\w-]*|sandbox[\w-]*|fix-permissions|prune|purge|exit-zero|passWithNoTests)"
)
NO = regex(r"--no-?([\w-]+)")
HARMLESS_NO = names(
    "cache color colors pager edit install coverage watch headless fail-fast ff stat tags progress header emit"
    " Emit capture summary stderr stdout banner open daemon deps build sync dev optional merges commit renames"
    " ext-diff patch abbrev trunc heading filename messages line-number ignore-vcs interactive interaction ansi"
    " input truncate browser reload site packages pretty quiet verbose renormalize stack traceback cov"
    " cacheprovider parallel"
)
LETTERS = {"git": {"push": "f", "commit": "n", "checkout": "f", "clean": "fdx", "branch": "DM", "rm": "f", "add": "f"}}
BRINGS = names(
    "--with --with-editable --with-requirements --from --package --spec --require --plugin --preload --import --loader"
)
REPORTS = regex(
    r"(?:dot|verbose|default|spec|jsonl?|junit|tap|min|list|lines?|html|github(?:-actions)?|basic|progress|documentation|stylish"
    r"|compact|unix|text|concise|full|grouped|pretty|short|long|raw|sarif|xml|yaml|csv|table|wide|name|tdd|bdd|oneline)?|[%{].*"
)
INSTRUCTS = {
    **dict.fromkeys(("make", "gmake", "just", "task", "rake", "invoke", "inv", "ninja", "ant", "gradle", "gradlew",
                     "mvn", "mvnw", "pnpm"), names("-f --file -t -I --init-script -C -p")),
    **dict.fromkeys(("node", "ruby", "mocha", "rspec", "cucumber", "vitest"), names("-r")),
    **dict.fromkeys(("jest", "eslint", "phpunit", "tox", "playwright", "webpack", "pre-commit"), names("-c")),
    "pytest": names("-p -c --rootdir --confcutdir --override-ini -o"), "java": names("-jar -cp -classpath"),
    "git": names("--exec-path --template --output"), "tsc": names("-p"),
}  # fmt: skip
"""Flags that name a file of instructions, or code to load, in place of the project's own."""
INSTRUCTS_ANY = names(
    "--rulesdir --rules-dir --init-file --rcfile --require-module --makefile --justfile --taskfile --config"
    " --config-file --config-path --bootstrap --setupFiles --globalSetup --pre --compress-program --vettool -vettool"
    " --toolexec -toolexec --exec -exec --project --prefix --directory --cwd --dir"
)
USUAL_PLACE = regex(r"\.|(?:[\w-]{1,60}/){0,9}tsconfig[\w.]{0,40}\.json")
"""What such a flag may name: the project's own place."""
WORDED = {
    **dict.fromkeys(("--reporter", "--reporters", "--format", "--formatter", "--output-format", "--ui"), REPORTS),
    **dict.fromkeys(("eslint -f", "rspec -f", "mocha -R", "mocha -u"), REPORTS),
    **dict.fromkeys(("python -W", "python3 -W", "pytest -W"), regex(r"error|default|always|module|once")),
}
"""Flags that load whatever they name, unless it is one of the words that everybody knows."""
LEADS = regex(
    r"--(?:extra-)?(?:index|index-url|registry|proxy|host|hostname|remote|url|endpoint|server|mirror|repository|find-links"
    r"|trusted-host|base-url|upstream|origin|api-url|source)"
)
CREDENTIALS = regex(
    r"--?(?:token|password|pass|secret|api-?key|credential\w*|identity\w*|private-?key|user(?:name)?|as|uid|cap-add|volume"
    r"|mount|device|security-opt|pid|network|net|ipc|userns|impersonate[\w-]*|profile|role-arn|kubeconfig)"
)
RISKY_VALUE = regex(
    r"danger|bypass|unsafe|insecure|\broot\b|admin|\btrust|disable|\bskip|\bnever\b|full-access|\boff\b|\bnone\b|hookspath",
    re.IGNORECASE,
)
GUARDS = regex(
    r"--?(?:dry-?run|check|verify[\w-]*|sandbox[\w-]*|read-?only|safe[\w-]*|strict[\w-]*|frozen[\w-]*|locked|immutable"
    r"|require-hashes|confirm|interactive|no-install|no-exec|noop|gpg-sign|sign|signoff|audit|offline|ignore-scripts|cached"
    r"|no-commit|no-run|what-?if|fail[\w-]*|max-warnings|error-on[\w-]*|exit-code|warnings-as-errors|noEmit|pure-lockfile|ci)"
)
SETTINGS = (HARMLESS_SETTINGS.keys() - names("GOFLAGS TF_IN_AUTOMATION V")) | names(
    "PAGER GIT_PAGER PYTHONPATH TEST_FILTER"
)
LOCAL_VALUE = regex(r"[\w.,:/=+-]{0,80}")
SCHEME = regex(r"[a-z][a-z0-9+.-]*://(?!(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?:[:/]|\Z))", re.IGNORECASE)
USER_AT = regex(r"[\w.+-]+@[\w.-]+(?::.*)?\Z|[\w.-]+:[\w./~-]+\.git\Z")
HOST_PORT = regex(r"(?!localhost:|127\.)[\w.-]*[A-Za-z][\w.-]*:\d{2,5}(?:/.*)?\Z|\d{1,3}(?:\.\d{1,3}){3}")
DOMAIN = regex(r"(?:[\w-]+\.)+(?P<end>[a-z]{2,18})(?::\d+)?(?P<path>/.*)?\Z", re.IGNORECASE)
FILE_ENDINGS = names(
    "py pyi ts tsx js jsx mjs cjs mts cts json jsonc json5 md mdx rst txt yml yaml toml ini cfg conf lock go mod"
    " sum rs rb java kt kts gradle scala c cc cpp cxx h hpp cs fs vb swift m mm sh bash zsh fish ps1 bat sql html"
    " htm css scss sass less vue svelte astro xml csv tsv proto graphql gql tf tfvars hcl env example dist log out"
    " snap svg png jpg gif ico pdf lua php pl r jl ex exs erl hrl elm clj cljs edn dart nix bzl bazel cmake mk"
    " tmpl tpl hbs ejs erb jinja j2 feature ipynb zig nim v sol wasm map patch diff bak test spec config rc db"
    " sqlite parquet gz zip tar tgz xz whl sln csproj"
) - {"example"}
OUTSIDE = regex(r"^(?:/(?!dev/(?:null|stdin|stdout|stderr)\Z)|~|\$|\.\.(?:/|\Z)|[A-Za-z]:\\)")
HOOKS = regex(
    r"(?:^|/)\.(?:git|ssh|husky|claude|codex|gemini|github|vscode|bashrc|zshrc|profile|npmrc|pypirc|netrc|env)\b"
)
VENDORED = regex(
    r"(?:^|/)(?:node_modules|third[_-]?party|vendor(?:ed)?|site-packages|\.(?!venv\b|\.?(?:/|\Z)|[\w-]+\Z)[\w-]+)(?:/|\Z)"
)
LOOKING = names(
    "cat head tail less more wc sort uniq cut grep egrep rg ag ack find fd ls tree stat file diff cmp jq yq"
)
PYTHONS = names("python python2 python3")
KNOWN_NAMES = (
    KNOWN
    | (RUNNERS - {"rtk"})
    | FETCHING_ALL
    | RIGHTS
    | names("ionice chronic arch flock noglob nocorrect coproc xargs")
    | names("unittest doctest venv json compileall timeit build pip ensurepip zipfile cProfile pdb")  # modules
)
"""Programs, modules and what runs them that are no strangers, whatever else is to be said of them."""
PIECES = regex(r"[/.=]")
QUIET = ("/dev/null", "1", "2")
PLACE = regex(r"<(?:path|name)>")
TASKS = regex(r"(?:deps|ecto|phx|hex)\.[a-z_]+")  # of mix
