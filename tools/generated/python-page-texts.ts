import { catalogs } from '../../packages/sdk/src/site/languages/catalogs.ts'

/** Returns the texts of the pages for the Python client. They are those of the client for JavaScript. */
export function pythonPageTexts(): string {
  const languages = Object.entries(catalogs).map(([language, texts]) => {
    const lines = Object.entries(texts).map(([key, text]) => `        "${key}": ${JSON.stringify(text)},\n`)
    return `    "${language}": {\n${lines.join('')}    },\n`
  })
  return `# Generated from packages/sdk/src/site/languages by tools/build-generated.js. Do not edit.
"""The texts of the pages, by language."""

from __future__ import annotations

from typing import Dict

PAGE_TEXTS: Dict[str, Dict[str, str]] = {
${languages.join('')}}
`
}
