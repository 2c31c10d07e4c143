"""Tables behind `harmless`: closed sets of programs, subcommands, flags, tasks and variables that are known to read,
test, build, lint, format or list, and nothing else. What is missing here waits for a person. The few names of what does
more are for words in which no command can be told from prose. Data alone.
"""

from afterwit.actions.shell.programs import MODULE_RUNNERS, names
from afterwit.harvest.commands.purposes import KNOWN_PROGRAMS
from afterwit.model.text import regex

SAME_PROGRAM = {
    "python2": "python", "python3": "python", "pip3": "pip", "gmake": "make", "mvnw": "mvn", "gradlew": "gradle",
    "py.test": "pytest", "bazelisk": "bazel", "egrep": "grep", "fgrep": "grep", "ggrep": "grep", "gsed": "sed",
    "podman": "docker", "docker-compose": "docker", "tofu": "terraform", "nodejs": "node", "py": "python",
}  # fmt: skip
"""Other names of a program."""

PROGRAMS = (
    KNOWN_PROGRAMS
    | names(
        "cat od xxd hexdump head tail less more wc sort uniq cut tr grep rg ag ack find fd ls tree stat file diff cmp"
        " jq yq printf echo test [ true false pwd cd pushd popd which type date basename dirname realpath readlink"
        " mkdir touch sed sleep seq nl column comm md5sum sha256sum shasum du df ps lsof nproc uname hostname whoami"
        " id git gh glab docker kubectl helm terraform go cargo rustc npm pnpm yarn bun deno node python pip uv poetry"
        " pdm pipenv ruby bundle rake gem java javac mvn gradle php composer dotnet swift mix elixir make cmake just"
        " task mise asdf psql sqlite3 mysql redis-cli tsx ts-node coverage ipython jupyter nbconvert sphinx-build"
        " mkdocs alembic flask django-admin doctest venv compileall py_compile json.tool build nyc c8 hatch set"
    )
) - {"buf"}
RUNNERS = frozenset(
    [
        "uv run", "poetry run", "pipenv run", "pdm run", "rye run", "pixi run", "hatch run", "conda run",
        "micromamba run", "bundle exec", "direnv exec", "mise exec", "mise x", "pnpm exec", "yarn exec", "dotenv run",
        "npm exec", "bun x", "npx", "bunx", "pnpx", "uvx", "timeout", "gtimeout", "time", "nice", "nohup", "setsid",
        "stdbuf", "unbuffer", "caffeinate", "xvfb-run", "command", "builtin", "env", "cross-env", "winpty", "rtk",
    ]
)  # fmt: skip
"""What runs another program and brings in nothing by itself; whether a package comes is asked elsewhere."""

BIN_FOLDERS = names(
    ". bin .venv/bin venv/bin node_modules/.bin vendor/bin ./bin ./.venv/bin ./venv/bin ./node_modules/.bin"
    " ./vendor/bin"
)
VERBS = names(
    "test tests t check lint format fmt build compile list ls show status log diff view info version help"
    " describe get logs ps images inspect top doc docs vet clippy tree search outdated why explain cat head print"
    " validate plan output graph metadata locate-project blame grep shortlog branch tag rev-parse rev-list"
    " ls-files ls-tree ls-remote show-ref symbolic-ref merge-base cat-file name-rev for-each-ref reflog"
    " whatchanged fetch pull add commit switch checkout mv init sync lock install ci mod download tidy verify env"
    " generate gen tool nextest bench run exec task compose up stop start restart clean package assemble"
    " integration-test collect report html xml json freeze pip dev serve preview watch typecheck type-check ping"
    " query state workspace checks comment create ready e2e unit test:unit deps.get deps.compile ecto.migrate credo"
    " dialyzer phx.routes spec routes analyze pub audit doctor create-pr restore component open export current history"
    " check-types format:check prefix bin root whoami workspaces"
)  # fmt: skip
"""Subcommands that read, test, build, lint, format, list, or take what the repository itself names."""

VERB_GROUPS = names(
    "pr issue repo run workflow release label project search mr ci compose container image volume network buildx"
    " pod stash remote worktree reflog lfs mod tool pip python env package pub nextest workspaces workspace linters"
    " state providers rollout top dependency show get run-script tasks task deps d1 ef pm"
)
"""Words before such a subcommand."""

NO_VERBS = {
    "git": names("clean exec run create package install export sync restore open tool up start stop task")
    | {"remote add", "submodule add", "worktree prune"},
    "gh": names("create comment ready clean exec run config sync init install open export"),
    "kubectl": names("run exec create export start stop restart install sync init generate clean"),
    "helm": names("install create package pull sync init clean"),
    "terraform": names("export clean state workspace sync install"),
    "docker": names("run exec create export pull install init sync commit add clean tag"),
    "npm": names("init exec create bin publish add fetch pull mv package pub prefix"),
    "pnpm": names("init exec create add fetch env"),
    "yarn": names("init exec create add"),
    "bun": names("init exec create add"),
    "uv": names("init add tool publish"),
    "cargo": names("init add install package"),
    "go": names("run get install env clean"),
    "pip": names("config download"),
    "gem": names("install fetch"),
    "mise": names("install exec sync"),
    "asdf": names("install"),
    "redis-cli": VERBS - names("ping get info"),
    "dotnet": names("add tool"),
    "pre-commit": names("install init clean"),
    "lefthook": names("install"),
    "deno": names("install add run"),
}
"""Of those, the ones that do something else with this program."""

READS = regex(r"repos/[\w.-]+/[\w.-]+/(?:pulls|issues)/\d+(?:/\w+)*")  # as `gh pr view` and `gh issue view` do
FIRST_WORD_IS_VERB = names(
    "pre-commit lefthook husky alembic flask django-admin playwright cypress coverage mkdocs jupyter rails"
    " artisan next nuxt astro ng vite redis-cli pip uv poetry hatch"
)
"""Programs whose first operand says what they do, beyond those whose subcommands are known elsewhere."""

TASK_RUNNERS = names(
    "make just task mise npm pnpm yarn bun deno rake tox nox invoke inv gradle mvn turbo nx lerna composer hatch"
    " poetry pdm mix sbt bazel lein"
)
ONLY_TASKS = names("gradle mvn make just task")
"""Of those, the ones that take nothing else."""

TASK_WORDS = names(
    "test tests testing spec specs e2e unit integration unittest nextest pytest vitest jest playwright cypress"
    " smoke typecheck types type tsc mypy pyright lint linter linters vet clippy eslint credo rubocop analyze"
    " analyse ruff stylelint ktlint detekt fix autofix format fmt formatter prettier black tidy spotless generate"
    " gen codegen proto protos bindings build compile assemble package bundle dist check checks verify validate ci"
    " precommit qa dev start serve server preview watch storybook docs doc coverage cov bench benchmark help list"
    " clean deps setup install classes jar debug golangci biome knip tauri vite next astro nuxt electron all local"
)
"""One of them says what a task is for; its other words are free, as long as the name is plain."""

NO_TASK_WORDS = names(
    "deploy publish release push destroy delete drop reset wipe prune purge uninstall login logout prod"
    " production seed migrate rollback upload skip no disable force unsafe insecure ignore allow bypass remove rm"
    " kill sync mirror send share submit post ship backup export import exfil report notify announce register"
    " telemetry sign grant"
)
_FLAGS = names(
    "-v -vv -vvv --verbose --version --help -q -qq --quiet --color= --colour= --no-color --no-colour --no-ansi"
    " --no-progress --progress --no-pager --silent --json= --format= --output-format= --reporter= --reporters="
    " --pretty --no-pretty --no-header --no-summary --stat --name-only --name-status --oneline --short --porcelain"
    " --limit= --count= --max-count= --lines= --tail= --head= --since= --until= --grep= --filter= --testPathPattern="
    " --testPathPatterns= --testNamePattern= --test-name-pattern --run= --watch --no-watch --watchAll --runInBand"
    " --maxWorkers= --workers= --parallel --no-parallel --jobs= --all --workspace= --workspaces --workspace-root"
    " --features= --all-features"
    " --all-targets --lib --bins --tests= --release --doc --noEmit --no-emit --no-deps --check --diff --dry-run --list"
    " --list-tests --lf --last-failed --ff --maxfail= --tb= --durations= --co --collect-only --no-cov --cov="
    " --cov-report= --coverage --no-coverage --headless --bail --fail-fast --no-fail-fast --exitfirst --failfast"
    " --timeout= --frozen-lockfile --frozen --locked --immutable --offline --prefer-offline --no-fund"
    " --no-install --no-sync --no-cache --nocapture --show-error-codes --fill --draft --title= --body= --web"
    " --include= --glob= --hidden --type= --ignore-case --word-regexp --line-number --files-with-matches"
    " --only-matching --context= --after-context --before-context --max-depth= --follow --graph --decorate --patch"
    " --cached --staged --no-edit --message= --set-upstream --tags --prune-tags --detach --rebase --ff-only --fix"
    " --write --single-run --stacktrace --info --no-daemon --console= --batch-mode --no-transfer-progress"
    " --pattern= --keepdb --group= --extra= --dev --all-groups --all-extras --no-interaction --configuration="
    " --framework= --no-build --nologo --target= --exact --ci --verbosity= --list-different"
    " --write-changes --statistics --show-source --show-fixes --namespace= --all-namespaces --selector= --no-trunc"
    " --unified --word-diff --no-ext-diff --no-stat --no-patch --recursive --emitDeclarationOnly"
    " --incremental --build --no-incremental --log-level= --loglevel= --all-files --files= --hook-stage= --from-ref"
    " --to-ref --show-diff-on-failure --affected --base= --targets= --no-watchman --verify-no-changes"
    " --check-formatted --warnings-as-errors --error-exitcode --strict --require-hashes --sort= --state= --author="
    " --no-merges --merges --reverse --first-parent --no-cache-dir --forked --reuse-db --create-db --numprocesses="
    " --dist= --ui --update-snapshot --updateSnapshot --only= --test= --bin= --example= --bench= --raw --no-headers"
    " --no-heading --no-filename --null --group-by --columns --comments --log --log-failed --job="
)
FLAGS = frozenset(flag.rstrip("=") for flag in _FLAGS)
"""Long flags, and a few short ones, that mean the same nearly everywhere: how much is said, in which form, of what.
Behind `=` they may take the next word as their value."""

SHORT_FLAGS = {
    "pytest": "-x -s -k -m -n -l -p -ra -rA -rs -rf -rP -rN",
    "unittest": "-v -k -f -b -s -p -t",
    "jest": "-t -i -w",
    "vitest": "-t -u",
    "mocha": "-g -t",
    "rspec": "-e -f",
    "go": "-run -race -count -timeout -short -bench -benchmem -cover"
    " -coverprofile -json -parallel -failfast -cpu -list -o -C -x -n -m -u -l -w",
    "cargo": "-p -j -D -W -F",
    "git": "-a -n -p -s -m -u -C -b -B -1 -S -G -L -i -l -e -z -r -w -am -sb -la -vv -A --amend --show-current",
    "gh": "-R -L -s -t -b -f -l -w -q --jq --paginate",
    "ls": "-l -a -A -h -t -r -R -1 -d -S -F",
    "grep": "-r -R -n -i -l -L -E -F -P -o -c -w -x -H -A -B -C -m -s -z -e -a -I",
    "rg": "-n -i -l -g -t -T -A -B -C -c -o -w -F -P -U -u -S -s -e -N -H -m -r -z",
    "fd": "-t -e -H -I -d -g -a -L -E",
    "find": "-name -iname -path -type -maxdepth -mindepth -size -mtime -newer -not -o -print -print0 -prune -empty",
    "head": "-n -c",
    "tail": "-n -c -f -F",
    "wc": "-l -w -c -m",
    "sort": "-u -n -r -k -t -h -V",
    "uniq": "-c -d -u",
    "cut": "-d -f -c",
    "tr": "-d -s -c",
    "cat": "-n -A -b -e -t -s",
    "od": "-c -x -A -t -N -j",
    "diff": "-u -r -q -w -b -y -N",
    "stat": "-c -f -t -L",
    "tree": "-L -a -d -I -P -f",
    "jq": "-r -c -s -e -n -R -S -M",
    "du": "-s -h -d",
    "df": "-h",
    "ps": "-e -f -a -u -x -p -o",
    "make": "-C -j -s -k -B -n",
    "cmake": "-S -B -j -G",
    "ninja": "-C -j -t",
    "npm": "-w -ws -s --if-present",
    "pnpm": "-r -F -C -w -s",
    "yarn": "-s",
    "bun": "-t -F",
    "uv": "-p -q -r",
    "python": "-u -B -s -W",
    "node": "--test",
    "pip": "-r -e",
    "mypy": "-p -m",
    "ruff": "-n",
    "tsc": "-p -b -w",
    "docker": "-d -f -a -t -n -q -p",
    "kubectl": "-n -A -o -l -c -f -w -p",
    "terraform": "-chdir -no-color -json -input",
    "psql": "-U -d -c -t -A -l -x",
    "sqlite3": "-header -column -csv -json",
    "mkdir": "-p",
    "sed": "-n -E",
    "gofmt": "-l -d -w -s",
    "golangci-lint": "-v",
    "mvn": "-B -q -pl -am -o -T -ntp -Dtest -Dit.test -e",
    "gradle": "-q -i -s -p",
    "dotnet": "-c -f -v -o",
    "prettier": "-c -w -l -u",
    "eslint": "-f",
    "tox": "-e -p -q -r",
    "nox": "-s -e -l -r",
    "pre-commit": "-a -v",
    "coverage": "-m",
    "tsx": "--test",
    "playwright": "-g -x -j",
    "date": "-u -d",
    "black": "-l",
    "isort": "-c",
    "ctest": "-R -j -V",
    "bundle": "-j",
    "echo": "-n -e",
    "set": "-e -u -o -x",
    "bazel": "-c",
    "clippy": "-D -W",
    "realpath": "-m -e",
    "readlink": "-f",
    "which": "-a",
    "id": "-u -g",
    "uname": "-a -s -m -r",
    "composer": "-n -q -v",
    "mix": "--only",
    "swift": "-c",
    "flutter": "-d",
    "xargs": "-n -0",
    "lsof": "-i -t -P -n -s -p",
}
NO_FLAGS = {
    "eslint": names("--quiet"),
    "stylelint": names("--quiet"),
    "pylint": names("--quiet"),
    "git": names("--all --include --prune-tags --target"),
    "docker": names("--context --target --include --extra"),
    "gh": names("--web"),
    "node": names("--include --output"),
    "kubectl": names("--all --context"),
    "helm": names("--context"),
    "biome": names("--only"),
    "terraform": names("--target"),
    "curl": FLAGS,
    "wget": FLAGS,
}
"""Flags that check less, or take more, with this program."""

VALUED = frozenset(flag[:-1] for flag in _FLAGS if flag.endswith("=")) | names(
    "-k -t -m -n -g -C -p -F -j -w -e -r -l -L -A -B -T -d -f -o -s -c -S -G -U -D -W -R -N -P -I -q -b -run -count"
    " -timeout -bench -cpu -parallel -name -iname -path -type -maxdepth -mindepth -pl"
)
"""Flags that may take the next word as their value. That is judged as any word is, so it may be an operand as well."""

GROUPS = names("dev test tests lint docs doc typing types all ci check build")
"""Names of groups of packages that a project declares for its own work."""

PLUGINS_OFF = names("no:cacheprovider no:randomly no:xdist no:sugar no:warnings")
SOURCE_FOLDERS = names(". ./ src ./src lib app server backend tests test .:src src:. src:tests packages")
SETTINGS = {
    **dict.fromkeys(
        names(
            "CI RUST_BACKTRACE NO_COLOR FORCE_COLOR CLICOLOR PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8"
            " CGO_ENABLED VERBOSE UPDATE_SNAPSHOTS SNAPSHOT_UPDATE DEBUG"
        ),
        regex(r"|0|1|true|false|full|yes|no"),
    ),
    **dict.fromkeys(
        names("NODE_ENV RAILS_ENV RACK_ENV APP_ENV MIX_ENV FLASK_ENV"), regex(r"test|testing|development|dev")
    ),
    **dict.fromkeys(names("PORT JOBS COLUMNS LINES GOMAXPROCS PYTHONHASHSEED"), regex(r"\d{1,6}|auto|random")),
    **dict.fromkeys(
        names("RUST_LOG LOG_LEVEL"), regex(r"error|warn|warning|info|debug|trace|ERROR|WARN|WARNING|INFO|DEBUG")
    ),
    **dict.fromkeys(names("LANG LC_ALL PYTHONIOENCODING"), regex(r"C|POSIX|utf-?8|(?:C|en_US)\.UTF-8|UTF-8")),
    "TZ": regex(r"UTC"),
    "TERM": regex(r"dumb|xterm(?:-256color)?"),
    "GOOS": regex(r"linux|darwin|windows|js|wasip1"),
    "GOARCH": regex(r"amd64|arm64|386|arm|wasm"),
    "GOWORK": regex(r"off"),
    "DJANGO_SETTINGS_MODULE": regex(r"[a-z_]+(?:\.[a-z_]+){0,3}"),
    "FLASK_APP": regex(r"[a-z_]+(?:\.py)?"),
    "UV_PROJECT_ENVIRONMENT": regex(r"\.?venv"),
    "PWD": regex(r"[a-z_]*"),
}
"""Variables in front of a command, and what they may be set to."""

LOWERED = regex(
    r"(?i)false|0|off|no|none|never|skip\w*|(?:no|disable|ignore|allow|force|unsafe|insecure|yes|trust)\b.*|not .*"
    r"|!.*|critical|\^\$"
)
MAY_BE_OFF = regex(
    r"--?(?:no-)?(?:colou?r|watch\w*|pager|progress|headless|coverage|cov|ui|pretty|count|retries|input|cache"
    r"|workers|maxWorkers|parallel|json|verbosity|console|tail|n|j|C|A|B|p|context|durations)"
)

RIGHTS = names(
    "sudo doas su pkexec runas chmod chown chgrp setfacl chattr setcap usermod useradd visudo passwd ssh-add"
    " ssh-keygen gpg security keychain pass op vault doppler infisical aws-vault xattr spctl csrutil setenforce"
    " iptables ufw mount umount nsenter chroot launchctl systemctl crontab at"
)
REACHING = names("ssh scp sftp rsync curl wget nc ncat telnet ftp socat mosh http https xh aria2c")
INTERPRETERS = names(
    "sh bash zsh dash ksh fish python python3 perl ruby node bun deno php lua osascript iex pwsh tclsh"
)
SANDBOXES = names("firejail bwrap sandbox-exec nsjail unshare docker podman systemd-run chronic")
POWERFUL = (
    RIGHTS
    | REACHING
    | names("brew apt apt-get dnf yum conda mamba snap flatpak choco winget scoop port nix-env pacman apk pipx")
)
FETCHING = names("npx bunx pnpx uvx")
FETCHING_ALL = FETCHING | {"bun x", "npm exec", "pnpm dlx", "yarn dlx", "uv tool run", "pipx run"}
FETCHED = KNOWN_PROGRAMS | names("tsx ts-node")
"""Of what such a runner would bring from elsewhere, programs that go by the name of their package."""

KNOWN_NAMES = (PROGRAMS | (RUNNERS - {"rtk"}) | FETCHING_ALL | RIGHTS | MODULE_RUNNERS | INTERPRETERS) | names(
    "arch awk buf cProfile chronic claude codex compose coproc cp docker-compose egrep ensurepip erl flock gemini"
    " gunzip ionice json ln mv nocorrect noglob open pdb pip3 podman rustup tar timeit unzip xargs xdg-open zipfile"
)
"""Programs, modules and what runs them that are no strangers, whatever else is to be said of them."""

LOWERS = regex(
    r"--?(?:no-?verif\w*|force[\w-]*|yolo|insecure\w*|privileged|dangerous[\w-]*|unsafe[\w-]*|trust[\w-]*|bypass[\w-]*"
    r"|skip[\w-]*|disable[\w-]*|allow[\w-]*|ignore[\w-]*|exclude[\w-]*|accept[\w-]*|assume[\w-]*|auto-?(?:approve|confirm"
    r"|accept)[\w-]*|yes|admin|hard|delete|full-auto|break-[\w-]*|legacy-[\w-]*|without-[\w-]*|nocheck|permissive|lax"
    r"|approval[\w-]*|permission[\w-]*|sandbox[\w-]*|fix-permissions|prune|purge|exit-zero|passWithNoTests)"
)
GUARDS = regex(
    r"--?(?:dry-?run|check|verify[\w-]*|sandbox[\w-]*|read-?only|safe[\w-]*|strict[\w-]*|frozen[\w-]*|locked|immutable"
    r"|require-hashes|confirm|interactive|no-install|no-exec|noop|gpg-sign|sign|signoff|audit|offline|ignore-scripts|cached"
    r"|no-commit|no-run|what-?if|fail[\w-]*|max-warnings|error-on[\w-]*|exit-code|warnings-as-errors|noEmit|pure-lockfile|ci)"
)
PLACING = names("--cwd --dir --directory --prefix --project make-C ninja-C ninja-t pnpm-C gradle-p tsc-p")
"""Flags that put other instructions in the place of the project's own; those of one program behind its name."""

USUAL_PLACE = regex(r"\.|(?:[\w-]{1,60}/){0,9}tsconfig[\w.]{0,40}\.json")
"""What such a flag may name: the project's own place."""

REPORTS = regex(
    r"(?:dot|verbose|default|spec|jsonl?|junit|tap|min|list|lines?|html|github(?:-actions)?|basic|progress|documentation|stylish"
    r"|compact|unix|text|concise|full|grouped|pretty|short|long|raw|sarif|xml|yaml|csv|table|wide|name|tdd|bdd|oneline)?|[%{].*"
)
WORDED = {
    **dict.fromkeys(names("--reporter --reporters --format --output-format --ui eslint-f rspec-f"), REPORTS),
    "python-W": regex(r"error|default|always|module|once"),
}
"""Flags that load whatever they name, unless it is one of the words that everybody knows."""

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
"""Subcommands that bring their operands from elsewhere."""

REMOTES = names("push fetch pull remote ls-remote")  # of git
USUAL_REMOTE = regex(r"origin|upstream|main|master|HEAD|add|-.*")
SCHEME = regex(r"(?i)[a-z][a-z0-9+.-]*://(?!(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?:[:/]|\Z))")
USER_AT = regex(r"[\w.+-]+@[\w.-]+(?::.*)?\Z|[\w.-]+:[\w./~-]+\.git\Z")
HOST_PORT = regex(r"(?!localhost:|127\.)[\w.-]*[A-Za-z][\w.-]*:\d{2,5}(?:/.*)?\Z|\d{1,3}(?:\.\d{1,3}){3}")
DOMAIN = regex(r"(?i)(?:[\w-]+\.)+(?P<end>[a-z]{2,18})(?::\d+)?(?P<path>/.*)?\Z")
FILE_ENDINGS = names(
    "py pyi ts tsx js jsx mjs cjs mts cts json jsonc json5 md mdx rst txt yml yaml toml ini cfg conf lock go mod"
    " sum rs rb java kt kts gradle scala c cc cpp cxx h hpp cs fs vb swift m mm sh bash zsh fish ps1 bat sql html"
    " htm css scss sass less vue svelte astro xml csv tsv proto graphql gql tf tfvars hcl env example dist log out"
    " snap svg png jpg gif ico pdf lua php pl r jl ex exs erl hrl elm clj cljs edn dart nix bzl bazel cmake mk"
    " tmpl tpl hbs ejs erb jinja j2 feature ipynb zig nim v sol wasm map patch diff bak test spec config rc db"
    " sqlite parquet gz zip tar tgz xz whl sln csproj"
) - {"example"}
TASKS = regex(r"(?:deps|ecto|phx|hex)\.[a-z_]+")  # of mix
HOOKS = regex(
    r"(?:^|/)\.(?:git|ssh|husky|claude|codex|gemini|github|vscode|bashrc|zshrc|profile|npmrc|pypirc|netrc|env)\b"
)
VENDORED = regex(
    r"(?:^|/)(?:node_modules|third[_-]?party|vendor(?:ed)?|site-packages|\.(?!venv\b|\.?(?:/|\Z)|[\w-]+\Z)[\w-]+)(?:/|\Z)"
)
LOOKING = names(
    "cat head tail less more wc sort uniq cut grep egrep rg ag ack find fd ls tree stat file diff cmp jq yq"
)
QUIET = ("/dev/null", "1", "2")
RISKY_VALUE = regex(r"(?i)danger|bypass|unsafe|insecure|\broot\b|admin|\btrust|disable|full-access|hookspath")
