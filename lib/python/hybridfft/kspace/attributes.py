"""Reads attributes of k-wave-python's objects, and raises errors for attributes that the solver would ignore.

The code enumerates all attributes of an object. It therefore also finds attributes added by later versions of
k-wave-python, and raises an error if their value is not the default.
"""

import dataclasses
import inspect
import types
import warnings

import numpy as np

from ..errors import argument_error

_UNKNOWN = object()  # marks an unknown default value


def value_of(owner, name, default=None):
    """Returns an attribute, or ``default`` if the object lacks it, or its value is None or an empty array."""
    value = _get(owner, name, None)
    return default if value is None or np.size(value) == 0 else value


def _get(owner, name, default):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about deprecated attributes
        return getattr(owner, name, default)


def is_kwave(*owners):
    """Returns whether the class of any of the objects is, or derives from, a class of k-wave-python."""
    return any(base.__module__.split(".")[0] == "kwave" for owner in owners for base in type(owner).__mro__)


def brief(value):
    """Returns a short text about a value for an error message."""
    if np.ndim(value) and np.size(value) > 8:
        return f"an array of shape {np.shape(value)}"
    text = repr(value)
    return text if len(text) <= 80 else f"a {type(value).__name__}"


def refuse_others(role, owner, used, defaults=None, **arguments):
    """Raises an error if ``owner`` has an attribute outside ``used`` with a value other than its default.

    Parameters
    ----------
    role : str
        Name of the object in error messages.
    owner : object
        An object of k-wave-python, or one with the same attributes.
    used : collection of str
        Names of the attributes that the caller reads.
    defaults : dict
        Default values of other attributes. Missing ones are taken from a new object of the same class.
    **arguments
        Arguments for the constructor of the new object, if they are no attributes of ``owner``.
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
    """Returns the names of the public attributes that a user can set: instance variables, slots, and properties with a
    setter."""
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
    """Returns False for a slot without a value, and for a property that raises an error."""
    try:
        return _get(owner, name, _UNKNOWN) is not _UNKNOWN
    except Exception:  # k-wave-python raises errors for attributes of elastic media
        return False


def _fresh(owner, arguments):
    """Returns a new object of the same class, made with only the required arguments, or None if that fails."""
    try:
        parameters = inspect.signature(type(owner)).parameters.values()
        required = [p.name for p in parameters if p.default is p.empty
                    and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        given = {name: arguments[name] if name in arguments else getattr(owner, name) for name in required}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return type(owner)(**given)
    except Exception:  # a constructor may require more arguments than its signature shows
        return None


def _default(owner, fresh, name):
    """Returns the default of an attribute: from the new object ``fresh``, a dataclass field or the class, else
    ``_UNKNOWN``."""
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
    """Returns whether two values or arrays are equal. All unset values (None, False, an empty array) equal None."""
    if value is default or (_is_unset(value) and default is None):
        return True
    try:
        return bool(np.array_equal(value, default) if np.ndim(value) or np.ndim(default) else value == default)
    except (TypeError, ValueError):
        return False
