"""Writes the configuration of a NATS server whose users have credentials files: keys, and signed tokens (JWT)."""

import base64
import binascii
import json
import subprocess
import time

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3


def openssl(*words, data=None):
    return subprocess.run(["openssl", *words], input=data, check=True, capture_output=True).stdout


def encoded(octets):
    """The text of a key: Base32, with a CRC-16 checksum at the end."""
    return base64.b32encode(octets + binascii.crc_hqx(octets, 0).to_bytes(2, "little")).decode().rstrip("=")


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class Key:
    """An Ed25519 key in a file of `folder`."""

    def __init__(self, folder, name, kind):
        self.kind = kind
        self.file = folder / f"{name}.key"
        openssl("genpkey", "-algorithm", "ed25519", "-out", str(self.file))
        self.public = encoded(bytes([kind]) + openssl("pkey", "-in", str(self.file), "-pubout", "-outform", "DER")[-32:])

    @property
    def seed(self):
        octets = openssl("pkey", "-in", str(self.file), "-outform", "DER")[-32:]
        return encoded(bytes([SEED | self.kind >> 5, (self.kind & 31) << 3]) + octets)

    def sign(self, subject, kind, **claims):
        """A token with claims about the key `subject`, signed with this key."""
        text = part({"typ": "JWT", "alg": "ed25519-nkey"}) + "." + part(
            {"jti": subject.public, "iat": int(time.time()), "iss": self.public, "name": kind, "sub": subject.public,
             "nats": {"type": kind, "version": 2, **claims}})
        file = self.file.with_suffix(".text")
        file.write_text(text)
        signature = openssl("pkeyutl", "-sign", "-inkey", str(self.file), "-rawin", "-in", str(file))
        return text + "." + base64.urlsafe_b64encode(signature).decode().rstrip("=")


def write_accounts(folder):
    """Writes `server.conf`, and `user.creds` for one user of an account with JetStream."""
    operator = Key(folder, "operator", OPERATOR)
    system, account = Key(folder, "system", ACCOUNT), Key(folder, "account", ACCOUNT)
    user = Key(folder, "user", USER)
    limits = dict.fromkeys(("subs", "conn", "leaf", "imports", "exports", "data", "payload"), -1) | {"wildcards": True}
    jetstream = dict.fromkeys(("mem_storage", "disk_storage", "streams", "consumer"), -1)
    (folder / "server.conf").write_text(
        f"operator: {operator.sign(operator, 'operator')}\n"
        f"system_account: {system.public}\nresolver: MEMORY\nresolver_preload: {{\n"
        f"  {system.public}: {operator.sign(system, 'account', limits=limits)}\n"
        f"  {account.public}: {operator.sign(account, 'account', limits=limits | jetstream)}\n}}\n")
    token = account.sign(user, "user", pub={}, sub={}, subs=-1, data=-1, payload=-1)
    (folder / "user.creds").write_text(
        f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n")
