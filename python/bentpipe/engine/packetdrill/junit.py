"""Verdicts on scripts in the XML of JUnit."""

from collections.abc import Mapping

from bentpipe import junit
from bentpipe.engine.packetdrill import Options, Outcome, Verdict
from bentpipe.errors import InputError


def document(results: Mapping[str, Verdict | InputError], *, engine: str, options: Options = ()) -> bytes:
    """Return the document of the verdicts of scripts, by their names.

    Parameters
    ----------
    results
        What each came to; the error of one that could not be read.
    engine
        Which one judged.
    options
        What holds for all scripts, whatever they say.
    """
    cases = [_case(name, result, engine=engine) for name, result in results.items()]
    return junit.document(f"packetdrill {engine}", cases, properties=options)


def _case(name: str, result: Verdict | InputError, *, engine: str) -> junit.Case:
    if isinstance(result, InputError):
        return junit.Case(classname=engine, name=name, error=str(result))
    return junit.Case(
        classname=engine,
        name=name,
        failure=result.words(name) if result.outcome is Outcome.FAILED else "",
        skipped=result.words(name) if result.outcome is Outcome.SKIPPED else "",
    )
