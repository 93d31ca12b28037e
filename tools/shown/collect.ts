import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A command that a page or a program shows to a reader. */
export interface ShownCommand {
  /** The path of the page or the source file. */
  readonly page: string
  /** The nearest heading of the second level above the command. Empty in a source file. */
  readonly section: string
  readonly line: number
  /** The text as a reader copies it, without the indentation of a list. */
  readonly text: string
  /** True for a code block, false for a command within a line. */
  readonly isBlock: boolean
  /** The reason after the mark "Not run by our tests:". Empty if the mark has none, and undefined without a mark. */
  readonly notRun: string | undefined
}

/** Matches the programs with which a command begins. They distinguish commands from other inline code. */
const programs =
  'npm|npx|node|rolecall|rolecall-init|curl|docker|docker-compose|pg_dump|pg_restore|createdb|openssl|php|java|go|dotnet|python3|pip|bun|deno|occ|forgejo|redis-cli|kubectl|systemctl|tar|apt-get'
const assignment = '[A-Z_]+=\\S* '
const command = new RegExp(`^(?:${assignment})*(?:(?:${programs}) \\S|\\.ci/run$)`)

/** The languages of code blocks with commands. A block without a language counts if it begins with a command. */
const shells = ['sh', 'shell', 'bash', 'zsh', 'console', 'powershell']

/** Matches a paragraph that begins with a mark. A mark in a comment is visible to maintainers only. */
const beginsMark = /^(?:_|<!-- )?Not run by our tests/
const mark = /Not run by our tests(?::\s+(\S[^|]*?)\.(?:[_\s|)]|$))?/

/** Collects the commands of a Markdown page: code blocks, and code within lines. */
export function commandsOfPage(page: string, markdown: string): ShownCommand[] {
  const fence = /^( *)(`{3,})([^\n`]*)\n([\s\S]*?)^ *\2 *$/gm
  const lineAt = (index: number) => markdown.slice(0, index).split('\n').length
  const sectionAt = (index: number) => /^[\s\S]*^## ([^\n]+)$/m.exec(markdown.slice(0, index))?.[1] ?? ''
  const place = (index: number) => ({ page, section: sectionAt(index), line: lineAt(index) })
  const blocks = [...markdown.matchAll(fence)].flatMap((found) => {
    const [whole, indent = '', , info = '', body = ''] = found
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd()
    if (!isShell(info.trim().split(' ')[0] ?? '', text)) return []
    const after = markdown.slice(found.index + whole.length).trimStart()
    const paragraph = after.split(/\n\s*\n/)[0] ?? ''
    const notRun = beginsMark.test(paragraph) ? reasonIn(paragraph) : undefined
    return [{ ...place(found.index), text, isBlock: true, notRun }]
  })
  const prose = markdown.replace(fence, (block) => block.replace(/[^\n]/g, ' '))
  const inline = [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].flatMap((found) => {
    const text = found[1] ?? ''
    if (!command.test(text)) return []
    return [{ ...place(found.index), text, isBlock: false, notRun: reasonIn(restAfter(prose, found.index)) }]
  })
  return [...blocks, ...inline]
}

const isShell = (language: string, text: string) =>
  language === '' ? command.test(text.replace(/^\$ /, '')) : shells.includes(language)

/** Returns the rest of a table row, or the rest of a paragraph and a mark below it. */
function restAfter(text: string, index: number): string {
  const lineStart = text.lastIndexOf('\n', index) + 1
  const rest = text.slice(index)
  if (text.startsWith('|', lineStart)) return rest.split('\n')[0] ?? ''
  const [paragraph = '', next = ''] = rest.split('\n\n')
  return beginsMark.test(next) ? `${paragraph} ${next}` : paragraph
}

function reasonIn(text: string): string | undefined {
  const found = mark.exec(text)
  return found ? (found[1] ?? '') : undefined
}

/** Collects the commands in texts that a program prints or a page of the console shows. */
export function commandsOfSource(page: string, source: string): ShownCommand[] {
  const shown = new RegExp(
    `(?<=^ *|  |['"\`>(] *|Run: |\\\\n *)(?:${assignment})*(?:npx|npm|curl -\\w+|docker|rolecall(?! key)) (?:\\$\\{[^}]*\\}|[^'"\`\\n$,;:)<\\\\]|<(?!/)|:(?! )|'\\$\\{[^}]*\\}[^']*')+`,
    'gm',
  )
  return source.split('\n').flatMap((line, index) => {
    if (/^\s*(?:\/\/|\*|\/\*\*|#|import )/.test(line)) return []
    return [...line.matchAll(shown)].map(([text]) => ({
      page,
      section: '',
      line: index + 1,
      text:
        text
          .replaceAll(/\\$/g, '')
          .replaceAll(/\$\{[^}]*\}/g, '…')
          .split(/ {3,}|\. /)[0]
          ?.trim() ?? '',
      isBlock: false,
      notRun: undefined,
    }))
  })
}

/** Matches the changelog, decisions, and generated pages, which show commands that readers do not type. */
const records = /^(CHANGELOG\.md|docs\/(decisions|reference)\/)/
const sources = ['apps/console/src', 'packages/sdk/src/init', 'examples', 'apps/api/src']

/** Collects every command that this repository shows. */
export const shownCommands = (): ShownCommand[] => [
  ...filesBelow('.', /\.md$/)
    .filter((page) => !records.test(page))
    .flatMap((page) => commandsOfPage(page, read(page))),
  ...sources
    .flatMap((folder) => filesBelow(folder, /(?<!\.test|\.d)\.(ts|tsx|js)$/))
    .flatMap((page) => commandsOfSource(page, read(page))),
]

export const read = (page: string): string => readFileSync(join(root, page), 'utf8')

function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      return /^(node_modules|dist|\.git|\.rolecall|build|\.next)$/.test(entry.name)
        ? []
        : filesBelow(path, pattern)
    }
    return pattern.test(entry.name) ? [path] : []
  })
}
