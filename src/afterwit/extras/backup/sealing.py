"""Encrypts what goes into a backup, and opens it again: the `age` format, through `pyrage`, or nothing at all.

`age` hides contents but does not say who wrote them: whoever knows the public key could put something of his own in the
place of a snapshot. So the list of files carries a code that only the holder of the secret key can make, and it names
every object by its hash. A backup that is not encrypted has no such protection.
"""

import base64
import hashlib
import hmac
from typing import Any, Literal, Protocol

import msgspec

from afterwit.extras.backup.keys import BackupKeys, age, identity_in, new_passphrase, passphrase
from afterwit.model.errors import BackupDamagedError, BackupError

ENCRYPTED = b"age-encryption.org/"  # how all begins that was sealed with a key
_PERSON = b"afterwit backup"
_CODE_BYTES = 32


class VaultHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What can be read of a backup without its key."""

    format: int
    id: str
    encryption: Literal["none", "key", "passphrase"]
    recipient: str = ""  # the public key that everything is encrypted for
    identity: str = ""  # the secret one, encrypted with the passphrase, in Base64


class Seal(Protocol):
    is_encrypted: bool

    def seal(self, content: bytes) -> bytes: ...

    def unseal(self, content: bytes, name: str) -> bytes: ...

    def seal_signed(self, content: bytes) -> bytes: ...

    def unseal_signed(self, content: bytes, name: str) -> bytes: ...


class PlainSeal:
    is_encrypted = False

    def seal(self, content: bytes) -> bytes:
        return content

    def unseal(self, content: bytes, name: str) -> bytes:  # noqa: ARG002 - there is nothing to complain about
        return content

    seal_signed = seal
    unseal_signed = unseal


class AgeSeal:
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
        words = new_passphrase(keys)
        identity = age().x25519.Identity.generate()
        locked = base64.b64encode(age().passphrase.encrypt(str(identity).encode(), words)).decode()
        recipient = str(identity.to_public())
        header = VaultHeader(
            format=format_number, id=vault_id, encryption="passphrase", recipient=recipient, identity=locked
        )
        return header, AgeSeal(identity)
    return VaultHeader(format=format_number, id=vault_id, encryption="none"), PlainSeal()


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
            return PlainSeal()
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
            identity = _unlocked(header, passphrase(keys), place)
    return AgeSeal(identity)


def _decrypted(locked: bytes, words: str, tries: int = 4) -> bytes:
    """What a passphrase locks. The library measures the machine first, and on one that is very busy at that moment
    takes a key for too hard to derive; so it is asked again."""
    library = age()
    try:
        return bytes(library.passphrase.decrypt(locked, words))
    except library.DecryptError as error:
        if tries > 1 and "excessive" in str(error).lower():
            return _decrypted(locked, words, tries - 1)
        raise


def _unlocked(header: VaultHeader, words: str, place: str) -> Any:
    library = age()
    try:
        locked = base64.b64decode(header.identity, validate=True)
        return library.x25519.Identity.from_str(_decrypted(locked, words).decode())
    except library.DecryptError as error:
        raise BackupError(f"The passphrase is not the one of the backup at {place}.") from error
    except (ValueError, library.IdentityError) as error:
        raise BackupDamagedError(f"The locked key in the backup at {place} is damaged ({error}).") from error
