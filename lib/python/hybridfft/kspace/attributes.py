"""Attributes of k-wave-python's objects: each one is used, or has its default, or is refused by name.

The walk is generic: an attribute that a later version of k-wave-python adds is refused as soon as it differs
from its default.
"""

import dataclasses
import inspect
import types
import warnings

import numpy as np

from ..errors import argument_error

_UNKNOWN = object()  # of defaults


def value_of(owner, name, default=None):
    """Returns an attribute that k-wave-python's objects may lack, or may have without a value."""
    value = _get(owner, name, None)
    return default if value is None or np.size(value) == 0 else value


def _get(owner, name, default):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # attributes that k-wave-python announces to remove
        return getattr(owner, name, default)


def is_kwave(*owners):
    """True if one of the objects has a class of k-wave-python."""
    return any(base.__module__.split(".")[0] == "kwave" for owner in owners for base in type(owner).__mro__)


def brief(value):
    """A value for an error message."""
    if np.ndim(value) and np.size(value) > 8:
        return f"an array of shape {np.shape(value)}"
    text = repr(value)
    return text if len(text) <= 80 else f"a {type(value).__name__}"


def refuse_others(role, owner, used, defaults=None, **arguments):
    """Raises an error for an attribute of ``owner`` that is neither used nor at its default.

    Parameters
    ----------
    role : str
        Name of the object in messages.
    owner : object
        An object of k-wave-python, or one with its attributes.
    used : collection of str
        Attributes that the caller uses.
    defaults : dict
        Defaults of other attributes; those of the object's class complete them.
    **arguments
        Arguments of the class's constructor that the object does not keep.
    """
    fresh = _UNKNOWN
    for name in _names(owner):
        if name in used:
            continue
        value = value_of(owner, name)
        if defaults is not None and name in defaults:
            default = defaults[name]
        else:
            fresh = _fresh(owner, arguments) if fresh is _UNKNOWN else fresh
            default = _default(owner, fresh, name)
        if not (_is_unset(value) if default is _UNKNOWN else _same(value, default)):
            expected = None if default is _UNKNOWN else default
            raise argument_error(f"{role}.{name} is {brief(value)}, expected {brief(expected)}: "
                                 "simulate() does not use it")


def _names(owner):
    """Returns the public attributes that a user may have set: those of the instance, and properties with a setter."""
    names = [name for name in getattr(owner, "__dict__", {}) if not name.startswith("_")]
    members = {}
    for base in reversed(type(owner).__mro__):
        members.update(vars(base))
    for name, member in members.items():
        settable = isinstance(member, types.MemberDescriptorType) or getattr(member, "fset", None)
        if settable and not name.startswith("_") and name not in names and _is_readable(owner, name):
            names.append(name)
    return names


def _is_readable(owner, name):
    """False for a slot without a value, and for a property that raises an error."""
    try:
        return _get(owner, name, _UNKNOWN) is not _UNKNOWN
    except Exception:  # k-wave-python refuses attributes of elastic media
        return False


def _fresh(owner, arguments):
    """Returns another object of the same class, with nothing set except what its constructor requires; or None."""
    try:
        parameters = inspect.signature(type(owner)).parameters.values()
        required = [p.name for p in parameters if p.default is p.empty
                    and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        given = {name: arguments[name] if name in arguments else getattr(owner, name) for name in required}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return type(owner)(**given)
    except Exception:  # a constructor may require more than its signature says
        return None


def _default(owner, fresh, name):
    """The value of an attribute before anyone has set it."""
    default = _get(fresh, name, _UNKNOWN)
    if default is not _UNKNOWN:
        return default
    for field in dataclasses.fields(owner) if dataclasses.is_dataclass(owner) else ():
        if field.name == name and field.default is not dataclasses.MISSING:
            return field.default
    member = getattr(type(owner), name, _UNKNOWN)
    return _UNKNOWN if hasattr(member, "__get__") else member


def _is_unset(value):
    return value is None or value is False or (np.ndim(value) > 0 and np.size(value) == 0)


def _same(value, default):
    """Compares values or arrays; two values that are not set are equal, too."""
    if value is default or (_is_unset(value) and default is None):
        return True
    try:
        return bool(np.array_equal(value, default) if np.ndim(value) or np.ndim(default) else value == default)
    except (TypeError, ValueError):
        return False
