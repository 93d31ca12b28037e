"""Refuses to package the client without its generated modules, which are not committed."""

from pathlib import Path

from setuptools import setup

package = Path(__file__).parent / "src" / "rolecall"
missing = [name for name in ("client.py", "event_reader.py", "models.py", "web/page_texts.py") if not (package / name).exists()]
if missing:
    raise SystemExit(f"src/rolecall lacks {', '.join(missing)}. Run `npm ci` in the root of the repository, which generates them.")

setup()
