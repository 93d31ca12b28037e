import { createCssVariablesTheme, createHighlighter } from 'shiki'
import { escapeHtml } from '../../../apps/api/src/platform/http/escape-html.ts'

/** Returns code in a language as HTML, with classes for its colors. */
export type Highlight = (code: string, language: string) => string

/** The languages of code on the pages. Code in another language is shown without colors. */
const languages = [
  'apache',
  'bash',
  'csharp',
  'go',
  'html',
  'ini',
  'java',
  'javascript',
  'json',
  'kotlin',
  'nginx',
  'php',
  'python',
  'sql',
  'tsx',
  'typescript',
  'xml',
  'yaml',
]

const variable = /^var\(--shiki-token-([a-z-]+)\)$/

/**
 * Loads the grammars of the languages. Call `close` at the end. Tokens get classes, because the service's
 * Content-Security-Policy does not allow style attributes.
 */
export async function createHighlight() {
  const theme = createCssVariablesTheme({ name: 'classes' })
  const highlighter = await createHighlighter({ themes: [theme], langs: languages })
  const known = new Set(highlighter.getLoadedLanguages())
  const highlight: Highlight = (code, language) => {
    if (!known.has(language)) return escapeHtml(code)
    const { tokens } = highlighter.codeToTokens(code, { lang: language as 'json', theme: 'classes' })
    return tokens.map((line) => line.map(({ content, color }) => span(content, color)).join('')).join('\n')
  }
  return { highlight, close: () => highlighter.dispose() }
}

function span(content: string, color: string | undefined): string {
  const [, kind] = variable.exec(color ?? '') ?? []
  const text = escapeHtml(content)
  return kind === undefined ? text : `<span class="t-${kind}">${text}</span>`
}
