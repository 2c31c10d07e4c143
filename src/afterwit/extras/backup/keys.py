"""How a backup is encrypted: with an age identity from a file, or with a passphrase, or, in a folder, not at all.

A passphrase takes seconds to become a key, on purpose. So it protects one identity that lies with the backup, and that
identity protects everything else. Neither is ever a text on a command line. `age` hides contents but does not say who
wrote them: whoever knows the public key could put something of his own in the place of a snapshot. So the list of files
carries a code that only the holder of the secret key can make, and it names every object by its hash. A backup that is
not encrypted has no such protection.
"""

import base64
import datetime as dt
import hashlib
import hmac
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from afterwit.model.errors import BackupDamagedError, BackupError, UsageError, install_command
from afterwit.store.atomic import create_file
from afterwit.store.regular_files import read_regular

PASSPHRASE_VARIABLE = "AFTERWIT_BACKUP_PASSPHRASE"  # noqa: S105 - its name, not its value
ENCRYPTED = b"age-encryption.org/"  # how all begins that was sealed with a key
LEAST_CHARS = 8
_MOST_BYTES = 64 << 10
_SECRET = "AGE-SECRET-KEY-1"  # noqa: S105 - how every such key begins
_PERSON = b"afterwit backup"
_CODE_BYTES = 32


class BackupKeys(NamedTuple):
    """What there is to open a backup with."""

    file: Path | None = None
    ask: Callable[[bool], str] | None = None  # asks for a passphrase; for a new one if told so
    wants_passphrase: bool = False  # where a new backup is made


def age() -> Any:
    """The library, which is an extra."""
    try:
        import pyrage
    except ImportError:
        raise BackupError(
            f"An encrypted backup needs pyrage, which is not installed. Install it: `{install_command('backup')}`."
        ) from None
    return pyrage


def identity_in(path: Path) -> Any:
    """The age identity that a key file holds."""
    try:
        text = read_regular(path, _MOST_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        raise BackupError(
            f"There is no key file at {path}. `--new-key` makes one; a backup that was made with another key cannot be"
            " read without that key."
        ) from None
    except OSError as error:
        raise BackupError(f"The key file {path} cannot be read: {error.strerror or error}.") from error
    secrets = [line.strip() for line in text.splitlines() if line.strip().startswith(_SECRET)]
    if len(secrets) != 1:
        raise BackupError(
            f"{path} holds {len(secrets)} age identities instead of one (a line that begins with {_SECRET}). Name a"
            " file that `--new-key` or `age-keygen` wrote."
        )
    library = age()
    try:
        return library.x25519.Identity.from_str(secrets[0])
    except library.IdentityError as error:
        raise BackupError(f"The identity in {path} is damaged ({error}). Use a copy of the file.") from error


def make_key(path: Path, now_ms: int) -> None:
    """A new key file, for the user alone, as `age-keygen` would write it."""
    identity = age().x25519.Identity.generate()
    day = dt.datetime.fromtimestamp(now_ms / 1000, dt.UTC).date().isoformat()
    text = f"# created: {day}, for backups of afterwit\n# public key: {identity.to_public()}\n{identity}\n"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not create_file(path, text.encode()):
        raise UsageError(f"{path} is there already, and a key is never overwritten. Use it without --new-key.")


class VaultHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What can be read of a backup without its key."""

    format: int
    id: str
    encryption: Literal["none", "key", "passphrase"]
    recipient: str = ""  # the public key that everything is encrypted for
    identity: str = ""  # the secret one, encrypted with the passphrase, in Base64


class Seal:
    """Of a backup that is not encrypted: everything lies there as it is."""

    is_encrypted = False

    def seal(self, content: bytes) -> bytes:
        return content

    def unseal(self, content: bytes, name: str) -> bytes:  # noqa: ARG002 - there is nothing to complain about
        return content

    def seal_signed(self, content: bytes) -> bytes:
        return content

    def unseal_signed(self, content: bytes, name: str) -> bytes:  # noqa: ARG002
        return content


class AgeSeal(Seal):
    is_encrypted = True

    def __init__(self, identity: Any) -> None:
        self._library = age()
        self._identity = identity
        self._recipient = identity.to_public()
        self._code_key = hashlib.blake2b(str(identity).encode(), digest_size=32, person=_PERSON).digest()

    def seal(self, content: bytes) -> bytes:
        sealed: bytes = self._library.encrypt(content, [self._recipient])
        return sealed

    def unseal(self, content: bytes, name: str) -> bytes:
        try:
            opened: bytes = self._library.decrypt(content, [self._identity])
        except self._library.DecryptError as error:
            raise BackupDamagedError(f"{name} cannot be decrypted with this key ({error}).") from error
        return opened

    def seal_signed(self, content: bytes) -> bytes:
        return self.seal(self._code(content) + content)

    def unseal_signed(self, content: bytes, name: str) -> bytes:
        opened = self.unseal(content, name)
        code, signed = opened[:_CODE_BYTES], opened[_CODE_BYTES:]
        if not hmac.compare_digest(code, self._code(signed)):
            raise BackupDamagedError(f"{name} was not written with this key: somebody else put it there. Remove it.")
        return signed

    def _code(self, content: bytes) -> bytes:
        return hmac.digest(self._code_key, content, "sha256")


def new_header(keys: BackupKeys, format_number: int, vault_id: str) -> tuple[VaultHeader, Seal]:
    """For a backup that is begun, by what there is to encrypt it with."""
    if keys.file is not None:
        identity = identity_in(keys.file)
        header = VaultHeader(format=format_number, id=vault_id, encryption="key", recipient=str(identity.to_public()))
        return header, AgeSeal(identity)
    if keys.wants_passphrase:
        words = _ask(keys, is_new=True)
        if len(words) < LEAST_CHARS:
            raise BackupError(f"The passphrase has fewer than {LEAST_CHARS} characters. Choose a longer one.")
        identity = age().x25519.Identity.generate()
        locked = base64.b64encode(age().passphrase.encrypt(str(identity).encode(), words)).decode()
        recipient = str(identity.to_public())
        header = VaultHeader(
            format=format_number, id=vault_id, encryption="passphrase", recipient=recipient, identity=locked
        )
        return header, AgeSeal(identity)
    return VaultHeader(format=format_number, id=vault_id, encryption="none"), Seal()


def seal_for(header: VaultHeader, keys: BackupKeys, place: str) -> Seal:
    """For a backup that is there. Whoever gave a key gets nothing that is not encrypted with it: the header lies where
    others may write."""
    match header.encryption:
        case "none":
            if keys.file is not None or keys.wants_passphrase:
                raise BackupError(
                    f"The backup at {place} is not encrypted, although a key was given. Leave the key out, or begin an"
                    " encrypted backup in another place."
                )
            return Seal()
        case "key":
            if keys.file is None:
                lost = "" if header.recipient else " Its header is gone, which no passphrase can replace."
                raise BackupError(
                    f"The backup at {place} is encrypted. Name the file of its key with --key-file.{lost}"
                )
            identity = identity_in(keys.file)
            if header.recipient and str(identity.to_public()) != header.recipient:
                raise BackupError(
                    f"{keys.file} is not the key of the backup at {place}. Name the file that it was begun with."
                )
        case "passphrase":
            if keys.file is not None:
                raise BackupError(f"The backup at {place} is encrypted with a passphrase, not with a key file.")
            identity = _unlock(header, _ask(keys, is_new=False), place)
    return AgeSeal(identity)


def _decrypt(locked: bytes, words: str, tries: int = 4) -> bytes:
    """What a passphrase locks. The library measures the machine first, and on one that is very busy at that moment
    takes a key for too hard to derive; so it is asked again."""
    library = age()
    try:
        return bytes(library.passphrase.decrypt(locked, words))
    except library.DecryptError as error:
        if tries > 1 and "excessive" in str(error).lower():
            return _decrypt(locked, words, tries - 1)
        raise


def _unlock(header: VaultHeader, words: str, place: str) -> Any:
    library = age()
    try:
        locked = base64.b64decode(header.identity, validate=True)
        return library.x25519.Identity.from_str(_decrypt(locked, words).decode())
    except library.DecryptError as error:
        raise BackupError(f"The passphrase is not the one of the backup at {place}.") from error
    except (ValueError, library.IdentityError) as error:
        raise BackupDamagedError(f"The locked key in the backup at {place} is damaged ({error}).") from error


def _ask(keys: BackupKeys, *, is_new: bool) -> str:
    text = os.environ.get(PASSPHRASE_VARIABLE, "")
    if not text and keys.ask is not None:
        text = keys.ask(is_new)
    if not text:
        raise BackupError(
            f"This backup is encrypted with a passphrase, and there is nobody to ask for it. Set {PASSPHRASE_VARIABLE}."
        )
    return text
