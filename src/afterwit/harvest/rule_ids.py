"""Which ids of rules may be named to an agent: those whose tool and form are known, and that can be no sentence.

Three ways to be known. Ids of our own table. Codes: a prefix that a tool is known by, and digits. And names made of
words, as linters call their rules: every word must stand in a closed vocabulary of what such names are made of, below
a plugin that is known. An order needs a word that says what to run, and the vocabulary has none. What a tool says of a
rule is never named, whatever its id. A rule that is refused wrongly costs a reminder.
"""

import re
from functools import cache, lru_cache

from afterwit.actions.programs import names
from afterwit.harvest.rule_advice import is_in_table

_PREFIXES = names(
    # ruff and the plugins of flake8 that it took over; pylint's letters are C, E, F, R, W
    "A AIR ANN ARG ASYNC B BLE C COM CPY D DAR DJ DOC DTZ E EM ERA EXE F FA FAST FBT FIX FLY FURB G I ICN INP INT ISC"
    " LOG N NPY PD PERF PGH PIE PLC PLE PLR PLW PT PTH PYI Q R RET RSE RUF S SIM SLF SLOT T TC TCH TD TID TRIO TRY UP"
    " W YTT"
    # staticcheck, shellcheck, TypeScript, C#, F#, hadolint, markdownlint, Kotlin, PHPStan, Credo, sqlfluff, checkov
    " SA ST QF U SC TS CS CA IDE FS DL MD KT AL AM CP CV LT RF CKV VB BC NU NETSDK MSB"
)
_CODE = re.compile(r"([A-Z]{1,6})_?\d{2,5}")
_PLUGINS = names(
    "import import-x react react-hooks react-refresh react-native jsx-a11y unicorn promise n node jest vitest"
    " prettier testing-library jest-dom sonarjs security simple-import-sort perfectionist vue svelte cypress"
    " playwright storybook tailwindcss jsdoc tsdoc regexp eslint-comments turbo nx compat lodash mocha ava qunit"
    " solid astro lit wc ember @typescript-eslint @next/next @angular-eslint @stylistic @tanstack/query @nx"
    " @vitest @eslint-community @eslint-react @graphql-eslint lint assist clippy a11y correctness suspicious style"
    " complexity performance nursery security source actions"
)
_WORDS = names(
    "a11y abstract access accessor accessors adjacent alias aliases align alt ambiguous and any api argument"
    " arguments array arrays arrow as assert assertion assertions assign assignment assignments async at attribute"
    " attributes await aware bare base binary bind bitwise blank block blocks bool boolean boxed brace braces"
    " branch branches break bug builtin builtins by bytes cache call callback callbacks camelcase case cases cast"
    " casts catch chain chaining char check checked children circular class classes clause clean clone cloned"
    " clones code cognitive collapsible comma commas comment comments comparison compare complexity component"
    " components concat condition conditional conditions confusing console const constant constants constructor"
    " constructors consistent context control cycle cyclomatic date debug debugger declaration declarations"
    " declare deep default defaults deps dependencies dependency deprecated depth deref derive destructuring dict"
    " directive directives display doc docs docstring docstrings dot double dupe duplicate duplicates dynamic each"
    " effect effects element elements else empty end entry enum enums env eol eqeqeq equal equality equals err"
    " error errors escape eval even exception exceptions exhaustive expect explicit export exports expression"
    " expressions extra extraneous fallthrough field fields file filename final find first fixed flag float"
    " floating fn focus folding for forbidden format fragment fragments from function functions future generator"
    " generic generics get getter getters global globals group groups guard handler has hardcoded header hex hooks"
    " html i18n id identical identity if implicit implicits import imports in incompatible inconsistent indent"
    " index inferrable infinite inheritance init initialisms inner instance instanceof int interface interfaces"
    " into invalid is isnull item items iter iteration iterator join jsx key keys keyword kind label labels large"
    " lazy leading len length let level library lifetime lifetimes limit line lines link list lit literal literals"
    " log logger logging logical long loop loops loss magic manual map match max member members memo message"
    " messages method methods min misleading missing misused mixed mock mocks module modules more multi multiline"
    " multiple mut mutable name named names namespace namespaces naming needless negated negation nested nesting"
    " new newline next nil no non none not null nullable nullish number numbers numeric object objects octal of"
    " one only open operation operator operators optional option options or order ordering orphan out outer over"
    " overflow overload override overrides package padding pair param parameter parameters params parens parent"
    " partial pass path paths pattern patterns per plus pointer position possible precision prefer prefix private"
    " promise promises prop properties property props prototype ptr public pure quote quoted quotes raise raising"
    " range raw react readonly receiver redeclare redefined redundant ref reference references refs regex regexp"
    " relative render rest restrict restricted result resolved return returns role root rule rules scope script self"
    " semi semicolon sequence sequences set setter shadow shadowed short shorthand side sign signature single singular"
    " size slow some sort sorted space spaces spacing specifier spread stable stack stage state statement"
    " statements static str strict string strings struct style super suspicious switch symbol syntax tab tabs tag"
    " tags target template templates ternary test tests text then this throw throws title to todo too top trailing"
    " trait transmute trivial try tuple type typed typedef types typing typo unary unbound undeclared undef"
    " undefined uninitialized union unique unit universal unknown unnecessary unreachable unresolved unsafe"
    " unsorted unstable unsupported unused unwrap upper use used useless uses using utf8 valid value values var"
    " variable variables variant vars vec void warning warnings while whitespace wildcard with wrap wrapped wrong"
    " yield yoda zero"
)
_LINTERS = names(
    # of golangci-lint, beyond those of our table
    "asasalint asciicheck bidichk bodyclose containedctx decorder dogsled dupword durationcheck errchkjson execinquery"
    " exptostd fatcontext forbidigo funcorder ginkgolinter gocheckcompilerdirectives gochecksumtype godoclint goheader"
    " gomoddirectives gomodguard goprintffuncname gosimple gosmopolitan grouper iface importas interfacebloat"
    " iotamixing loggercheck maintidx mirror nilnesserr noinlineerr nosprintfhostport promlinter protogetter"
    " reassign recvcheck rowserrcheck spancheck stylecheck tagliatelle testableexamples typecheck unqueryvet"
    " usestdlibvars wsl_v5 zerologlint"
    # of eslint, in one word
    " camelcase curly eqeqeq indent quotes semi radix yoda strict complexity"
)
_SPLIT = re.compile(r"[-_/]|::|(?<=[a-z0-9])(?=[A-Z])")
_FREE = re.compile(r"[a-z@][A-Za-z0-9@/_:-]{1,70}")
_MOST_WORDS = 7


@lru_cache(maxsize=4096)
def is_known_rule(rule: str) -> bool:
    """Whether a rule's id may be named."""
    if is_in_table(rule) or rule in _LINTERS:
        return True
    code = _CODE.fullmatch(rule)
    if code:
        return code[1] in _PREFIXES
    return _FREE.fullmatch(rule) is not None and _is_made_of_known_words(rule)


def is_known_check(check: str) -> bool:
    """Whether the name of a check within a linter may be named."""
    return not check or is_known_rule(check)


def _is_made_of_known_words(rule: str) -> bool:
    """Below a known plugin, or of no plugin. Of a tree of rules, as `lint/style/noVar`, every level is known."""
    plugin, mark, name = _parted(rule)
    if mark and plugin not in _PLUGINS:
        return False
    words = [word.lower() for word in _SPLIT.split(name) if word]
    return 1 < len(words) <= _MOST_WORDS and all(word in _all_words() or word.isdigit() for word in words)


def _parted(rule: str) -> tuple[str, str, str]:
    for mark in ("::", "/"):
        plugin, found, name = rule.rpartition(mark)
        if found:
            head = plugin.split("/")[-1] if plugin.startswith(("lint/", "assist/")) else plugin
            return head, found, name
    return "", "", rule


@cache
def _all_words() -> frozenset[str]:
    return _WORDS | frozenset(word for word in _PLUGINS if word.isalpha())
