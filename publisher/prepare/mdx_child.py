"""The MDX parser, alone in its child process: one document in, one answer in JSON out."""

import json
import sys

import mdxjs_py


def main() -> None:
    """Write ``null`` when the document compiles, else the parser's words."""
    text = sys.stdin.buffer.read().decode()
    answer: str | None = None
    if not mdxjs_py.is_available():
        answer = "the MDX parser is not installed"
    else:
        try:
            mdxjs_py.compile(text)
        except ValueError as error:
            answer = str(error)
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
