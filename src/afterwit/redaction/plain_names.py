"""Names that can be nothing but names: files, tasks, programs, skills, repositories.

Whoever names a file or a task can write a sentence into it, and an agent that reads the name reads the sentence. So a
name is shown only in a bounded form: few kinds of characters, few words, no domain, no flag, and not the words of an
order or a command, however they are joined (`run-this-before-each-commit`, `runThisBeforeEachCommit`) and over however
many folders. The lists of words are English and no closed form; what holds in other languages is how many words a name
may have. A name that is refused wrongly costs a hint; when in doubt it is refused. Standard library only, so that a
hook can import it.
"""

from functools import lru_cache

from afterwit.model.text import regex

_LETTERS = r"A-Za-z0-9\u00c0-\u024f"
_PART = regex(rf"[{_LETTERS}_.@+~$%()\[\]{{}}=,#-]{{1,80}}")
_NAME = regex(rf"[{_LETTERS}_.@+:/-]{{1,80}}")
_LONGEST_PATH = 160
_WORD = regex(r"[A-Z]?[a-z\u00df-\u00f6\u00f8-\u024f]+|[A-Z]+(?![a-z])")
_MOST_WORDS = 8  # of one name; what needs more is told, not named
_FEWEST_ADDRESSED = 3
_FEWEST_ORDERED = 4
_ORDERS = 2


def _list(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words with which somebody is spoken to.
_ADDRESSES = _list("always never must please you your yourself dont immediately obey disregard urgent attention")
# Words of orders. Many a name has one of them.
_DEMANDS = _list(
    "run runs execute exec use do before after every each first then instead now because when while whenever until"
    " install send follow delete remove upload download fetch curl wget read call without ensure remember tell say"
    " should shall ignore forget override bypass skip previous prior instructions instruction rules prompt secret"
    " secrets token tokens password credentials all any this that these the and not"
)
_MODAL = _list("always never must please should shall")
_IMPERATIVES = _list(
    "run exec execute push pull print ask send commit disable enable export install delete remove upload download read"
    " write open call use copy paste give show grant reveal leak post get fetch make set put skip ignore turn follow"
    " tell say start launch log dump"
)
_JOINING = _list("to with for from on the a an in of into by via all this that it as no not")
_PROGRAMS = _list(
    "git npm npx pnpm yarn pip pipx uv uvx curl wget sudo rm chmod chown docker kubectl ssh scp bash sh zsh eval brew"
    " apt cargo gem gh terraform helm powershell"
)
_VERBS = _list("push install force exec publish delete pipe rf reset hard login uninstall run prune destroy apply")
_FETCHERS = frozenset(("curl", "wget", "sudo"))
_LOWERS = _list("disable skip bypass ignore turn allow no without override off")
_GUARDS = _list(
    "sandbox verify check checks hook hooks auth security approval approvals permission permissions guard guards"
    " verification safety"
)
_ENDS = "io|com|net|org|sh|xyz|ru|cn|co|me|info|biz"
_DOMAIN = regex(rf"(?i)[{_LETTERS}]\.(?:{_ENDS})(?=[-_./+~@]|\Z)")
_HOST_WORDS = frozenset(("http", "https", "www", "ftp"))
_LONG_FLAG = regex(r"(?i)--(?:no|yes|force|hard|delete|exec|skip|allow|danger|ignore|disable|all)")
_GLUED = regex(r"[a-z]{25,}")
_LETTER_BY_LETTER = regex(r"(?:(?<![A-Za-z0-9])[A-Za-z][-_.]){4}")
_FOREIGN = regex(r"[\u00c0-\u024f]")
_INNER_ENDING = regex(r"(?<=.)\.(?:test|spec|d|config|stories|module|e2e|min|cpython-[\w-]+)\Z")
_MOST_WORDS_OF_PART = 4  # of a folder or a file; ordinary code has seldom more
_MOST_FOREIGN_WORDS = 2
_FEWEST_OF_COMMAND = 3
_FEWEST_OF_PATH = 3
_ORDERS_OF_PATH = 3


def is_plain_name(name: str) -> bool:
    """Whether this is a name in a closed form: of a program, a task, a skill, a repository."""
    parts = name.split("/")
    return _NAME.fullmatch(name) is not None and not any(
        reads_like_a_sentence(part) or _reads_like_an_order(_words(part)) for part in parts
    )


@lru_cache(maxsize=1 << 13)  # the files of a repository come again and again, and its folders with each
def is_plain_path(path: str) -> bool:
    """Whether every part of a path is a plain name, and all its words together say nothing either."""
    *folders, name = path.strip("/").split("/")
    stem = _INNER_ENDING.sub("", name.rpartition(".")[0] or name)
    return (
        len(path) <= _LONGEST_PATH
        and all(map(_PART.fullmatch, (*folders, name)))
        and all(map(_is_plain_part, (*folders, stem)))
        and not _is_spread_order(_words("/".join((*folders, stem))))
    )


def reads_like_a_sentence(text: str) -> bool:
    """Whether the words of a name, or of a command line, are those of an order or too many for a name. What is joined
    by blanks is looked at word by word and as a whole."""
    names = text.split()
    if len(names) > 1 and any(map(reads_like_a_sentence, names)):
        return True
    words = _words(text)
    if len(names) <= 1 and len(words) > _MOST_WORDS:
        return True
    if len(words) >= _FEWEST_ADDRESSED and not _ADDRESSES.isdisjoint(words):
        return True
    return len(words) >= _FEWEST_ORDERED and len(_DEMANDS.intersection(words)) >= _ORDERS


@lru_cache(maxsize=1 << 13)
def _is_plain_part(part: str) -> bool:
    """Judged by how many words it has, by forms, and by words. Where letters are not English ones, the words are
    unknown, and their number alone decides."""
    words = _words(part)
    most = _MOST_FOREIGN_WORDS if _FOREIGN.search(part) else _MOST_WORDS_OF_PART
    is_formed = any(form.search(part) for form in (_DOMAIN, _LONG_FLAG, _GLUED, _LETTER_BY_LETTER))
    return (
        sum(len(word) > 1 for word in words) <= most
        and not is_formed
        and not reads_like_a_sentence(part)
        and not _reads_like_an_order(words)
    )


def _words(text: str) -> list[str]:
    return [word[0].lower() for word in _WORD.finditer(text)]


def _reads_like_an_order(words: list[str]) -> bool:
    """Whether the words of one name are those of a command line, or what somebody is to do."""
    said = frozenset(words)
    if len(words) > 1 and said & _MODAL:
        return True
    if len(words) < _FEWEST_OF_COMMAND:
        return False
    is_command = bool(said & _PROGRAMS and said & _VERBS) or bool(said & _FETCHERS)
    is_lowering = bool(said & _LOWERS and said & _GUARDS)
    is_host = bool(said & _HOST_WORDS and said & frozenset(_ENDS.split("|")))
    return (
        is_command
        or is_lowering
        or is_host
        or (words[0] in _IMPERATIVES and len(words) >= _FEWEST_ORDERED and bool(said & _JOINING))
    )


def _is_spread_order(words: list[str]) -> bool:
    """Whether the words of all folders and of the file make an order."""
    said = frozenset(words)
    is_told = bool(said & _MODAL) and len(words) >= _FEWEST_OF_PATH
    return is_told or (bool(said & _IMPERATIVES) and len(said & _DEMANDS) >= _ORDERS_OF_PATH)
