import base64
import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.service.harness import FAR, KEY, token_of
from privge.errors import BadData
from privge.wire.tokens import LEEWAY, InvalidToken, Key, Verifier, mint

OTHER = Key("second", b"2" * 32)
VERIFIER = Verifier([KEY])
CAMPAIGN = "ab" * 32


def refused(token, verifier=VERIFIER, now=0):
    with pytest.raises(InvalidToken) as caught:
        verifier.verify(token, now=now)
    return str(caught.value)


def signed(payload, key=KEY):
    """Make a token by hand, as a platform in another language would."""
    text = base64.urlsafe_b64encode(json.dumps(payload).encode()).rstrip(b"=")
    signature = base64.urlsafe_b64encode(hmac.new(key.secret, text, hashlib.sha256).digest()).rstrip(b"=")
    return (text + b"." + signature).decode()


@pytest.mark.parametrize("node", ["alice", 17, "Zoë", "17", -(10**18)])
@pytest.mark.parametrize("campaign", [None, CAMPAIGN])
def test_a_minted_token_grants_what_it_says(node, campaign):
    assert VERIFIER.verify(token_of(node, campaign), now=0) == (node, campaign)


def test_a_token_made_elsewhere_to_the_documented_format_is_good():
    token = signed({"node": "alice", "campaign": None, "expires": FAR, "key": "first"})
    assert VERIFIER.verify(token, now=0) == ("alice", None)


def test_a_token_changed_anywhere_is_refused():
    token = token_of()
    for position, letter in enumerate(token):
        for other in ("A" if letter != "A" else "B", ".", "=", ""):
            if other != letter:
                refused(token[:position] + other + token[position + 1 :])


def test_every_refusal_sounds_the_same():
    payload = {"node": "alice", "campaign": None, "expires": FAR, "key": "first"}
    texts = {
        refused(token)
        for token in (
            "", ".", "x.y", "\u00e9.x", "a" * 5000, token_of()[:-1], token_of(key=OTHER), token_of(expires=-LEEWAY - 1),
            signed(payload | {"key": "second"}), signed(payload | {"more": 1}), signed(payload | {"node": ""}),
            signed(payload | {"node": 1.5}), signed(payload | {"node": True}), signed(payload | {"node": "x" * 600}),
            signed(payload | {"campaign": "short"}), signed(payload | {"expires": "never"}), signed([1]),
        )
    }  # fmt: skip
    assert texts == {"the token is not valid here"}


def test_a_token_is_honoured_a_day_beyond_its_expiry_and_no_longer():
    token = token_of(expires=1000)
    assert VERIFIER.verify(token, now=1000 + LEEWAY)
    refused(token, now=1001 + LEEWAY)


def test_while_keys_rotate_tokens_of_both_are_good_and_of_a_third_are_not():
    rotating = Verifier([OTHER, KEY])
    assert rotating.verify(token_of(), now=0) == rotating.verify(token_of(key=OTHER), now=0)
    refused(token_of(key=Key("third", b"3" * 32)), rotating)
    refused(token_of(), Verifier([OTHER]))


def test_three_keys_or_none_or_twins_are_refused():
    for keys in ([], [KEY, OTHER, Key("third", b"3" * 32)], [KEY, Key("first", b"4" * 32)]):
        with pytest.raises(BadData):
            Verifier(keys)


@pytest.mark.parametrize("name", ["", "a b", "x" * 17, "é"])
def test_a_key_with_a_bad_name_is_refused(name):
    with pytest.raises(BadData, match="name"):
        Key(name, b"1" * 32)


def test_a_short_secret_is_refused_and_a_secret_is_never_shown():
    with pytest.raises(BadData, match="32 bytes"):
        Key("short", b"1" * 31)
    assert "111" not in repr(KEY)


@pytest.mark.parametrize("node", ["", "x" * 513, "\ud800", True, 1.5])
def test_a_node_that_cannot_be_stored_gets_no_token(node):
    with pytest.raises(BadData):
        mint(KEY, node=node, expires=FAR)


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_no_text_is_a_token_by_chance(text):
    refused(text)
    refused(f"{token_of().partition('.')[0]}.{text}")


@pytest.mark.parametrize("node", [" x", "x ", "\tx", "x\n"])
def test_no_token_is_minted_for_an_id_that_no_graph_can_hold(node):
    with pytest.raises(BadData, match="white space"):
        mint(KEY, node=node, expires=FAR)
