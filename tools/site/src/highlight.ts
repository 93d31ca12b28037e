import { createCssVariablesTheme, createHighlighter } from 'shiki'
import { escapeHtml } from '../../../apps/api/src/platform/http/escape-html.ts'

/** Returns the HTML of code in a language. */
export type Highlight = (code: string, language: string) => string

/** Languages of the pages. Text in another one is shown without colors. */
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

/** Loads the grammars, until `close` is called. Tokens get classes, because the policy of the service allows no style attribute. */
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
