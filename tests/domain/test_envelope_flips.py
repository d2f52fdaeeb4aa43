"""Whatever an envelope says, another value at any one place of it is another binding."""

import copy
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from publisher.domain.envelope import binding_hash, build, canonical, differences, taking_back

_TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
_HASH = st.none() | st.text("0123456789abcdef", min_size=8, max_size=8).map("sha256:{}".format)
_PATHS = st.lists(
    st.fixed_dictionaries({"path": _TEXT, "base_sha256": _HASH}),
    max_size=4,
    unique_by=lambda entry: entry["path"],
)
_DERIVED = st.lists(
    st.fixed_dictionaries(
        {"paths": st.lists(_TEXT, max_size=3), "generator": _TEXT, "config_hash": _TEXT}
    ),
    max_size=2,
)
_MEMORY = st.none() | st.fixed_dictionaries(
    {"scope": _TEXT, "revision": st.integers(0, 2**31), "expires_at": st.none() | _TEXT}
)
_ARGUMENTS = st.fixed_dictionaries(
    {
        **dict.fromkeys(
            ("job_id", "action", "site", "remote", "branch", "operation", "scope", "requester",
             "input_hash", "payload_hash"),
            _TEXT,
        ),
        "paths": _PATHS,
        "derived": _DERIVED,
        "commit": st.fixed_dictionaries({"subject": _TEXT, "author": _TEXT}),
        "memory": _MEMORY,
        "not_before": st.none() | _TEXT,
    }
)  # fmt: skip
_REVERTS = st.none() | st.fixed_dictionaries({"job_id": _TEXT, "commit": _TEXT})
_SCALAR = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | _TEXT


def _leaves(value: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each scalar; an empty list or object has none."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in items:
        is_nested = isinstance(inner, dict | list)
        found += _leaves(inner, (*where, key)) if is_nested else [(*where, key)]
    return found


@settings(deadline=None)
@given(arguments=_ARGUMENTS, reverts=_REVERTS, other=_SCALAR, data=st.data())
def test_another_value_anywhere_is_another_binding(
    arguments: dict[str, Any], reverts: dict[str, str] | None, other: Any, data: st.DataObject
) -> None:
    old = build(**arguments)
    if reverts is not None:
        old = taking_back(old, **reverts)
    way = data.draw(st.sampled_from(_leaves(old)))
    new = copy.deepcopy(old)
    holder: Any = new
    for key in way[:-1]:
        holder = holder[key]
    assume(canonical(holder[way[-1]]) != canonical(other))
    holder[way[-1]] = other
    assert binding_hash(new) != binding_hash(old)
    assert differences(old, new)


@settings(deadline=None)
@given(arguments=_ARGUMENTS, data=st.data())
def test_a_place_that_is_gone_is_another_binding(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    old = build(**arguments)
    way = data.draw(st.sampled_from(_leaves(old)))
    new = copy.deepcopy(old)
    holder: Any = new
    for key in way[:-1]:
        holder = holder[key]
    del holder[way[-1]]
    assert binding_hash(new) != binding_hash(old)
    assert differences(old, new)


@settings(deadline=None)
@given(arguments=_ARGUMENTS, data=st.data())
def test_another_order_of_lists_is_the_same_binding(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    shuffled = {
        **arguments,
        "paths": data.draw(st.permutations(arguments["paths"])),
        "derived": [
            {**one, "paths": data.draw(st.permutations(one["paths"]))}
            for one in data.draw(st.permutations(arguments["derived"]))
        ],
    }
    assert binding_hash(build(**shuffled)) == binding_hash(build(**arguments))
