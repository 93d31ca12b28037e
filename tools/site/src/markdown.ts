import GithubSlugger from 'github-slugger'
import MarkdownIt, { type Token } from 'markdown-it'
import { escapeHtml } from '../../../apps/api/src/platform/http/escape-html.ts'
import type { Diagram } from './diagrams.ts'
import type { Highlight } from './highlight.ts'

/** Creates the renderer of Markdown. Headings get the anchors that GitHub gives them. */
export function createMarkdown(highlight: Highlight, diagram: Diagram): (markdown: string) => string {
  const markdown = new MarkdownIt({ html: true })
  markdown.core.ruler.push('anchors', ({ tokens }) => {
    const slugger = new GithubSlugger()
    tokens.forEach((token, index) => {
      const text = tokens[index + 1]?.children?.map(({ content }) => content).join('') ?? ''
      if (token.type === 'heading_open') token.attrSet('id', slugger.slug(text))
    })
  })
  // Aligns columns by classes, because the service's Content-Security-Policy does not allow style attributes.
  markdown.core.ruler.push('alignment', ({ tokens }) => {
    for (const token of tokens) {
      const style = token.attrGet('style')
      if (style === null) continue
      token.attrs = null
      if (style.endsWith('right')) token.attrSet('class', 'right')
    }
  })
  markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n'
  markdown.renderer.rules['table_close'] = () => '</table></div>\n'
  markdown.renderer.rules['fence'] = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {}
    const [language = ''] = info.trim().split(/\s+/)
    if (language === 'mermaid') return diagram(content.trimEnd(), headingAbove(tokens.slice(0, index)))
    return `<pre tabindex="0"><code>${highlight(content.trimEnd(), language)}</code></pre>\n`
  }
  markdown.renderer.rules['code_block'] = (tokens, index) =>
    `<pre tabindex="0"><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  return (text) => markdown.render(text)
}

/** Returns the text of the last heading in a list of tokens. */
function headingAbove(tokens: readonly Token[]): string {
  const at = tokens.findLastIndex(({ type }) => type === 'heading_open')
  return tokens[at + 1]?.content ?? ''
}
