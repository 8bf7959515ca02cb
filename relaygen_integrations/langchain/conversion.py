"""What cannot be converted to a schema, and what is said about it.

Owns the one error that becomes of all that LangChain, pydantic and Python raise while they convert. Refuses classes
that are neither pydantic's nor typed dictionaries: LangChain would make an empty schema of them. Converts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.utils.pydantic import is_basemodel_subclass
from pydantic import PydanticUserError
from typing_extensions import is_typeddict

from relaygen_integrations.langchain.errors import RelaySchemaError

__all__ = ["converting"]

_RAISED = (ValueError, TypeError, LookupError, NameError, AttributeError, RecursionError, PydanticUserError)
_FURTHER = "\n\nFor further information visit"


@contextmanager
def converting(given: Any, where: str, into: str, mend: str) -> Iterator[None]:
    """Inside, something is converted; what cannot be is refused by name.

    Args:
        given: What is converted.
        where: Its place, for the message.
        into: What it is to become.
        mend: What to give instead.

    Raises:
        RelaySchemaError: It is a class of no kind that has a schema, or its conversion fails.
    """
    problem = f"it cannot be made {into}"
    if isinstance(given, type) and not is_basemodel_subclass(given) and not is_typeddict(given):
        raise RelaySchemaError(
            where, f"{problem}: the class {given.__name__} is neither pydantic's nor a TypedDict", mend
        )
    try:
        yield
    except RelaySchemaError:
        raise
    except _RAISED as error:
        reason = " ".join(str(error).partition(_FURTHER)[0].split())
        raise RelaySchemaError(where, f"{problem}: {type(error).__name__}: {reason}", mend) from error
