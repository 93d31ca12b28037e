import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'

/**
 * A text that a person reads, and its place.
 *
 * @typedef {{ readonly path: string, readonly line: number, readonly text: string }} Text
 */
/** @typedef {ReadonlyMap<string, string>} Sources The text of each file, by its path from the root. */

const isScript = /\.[jt]sx?$/
const isTestFile = /\.test\.tsx?$/
const isTest = /\.test\.tsx?$|(^|\/)(test|dist)\//
/** Matches the files with texts of the interface: pages, the console, `--help`, errors, and log lines. Only English. */
const hasInterface =
  /^(apps\/(api|console)|packages\/(contract|sdk|chat-sim|tenant-schema)|examples\/demo-site)\/src\/(?!languages\/(?!en\.ts))/
/** The patterns of comments in files that are neither JavaScript nor TypeScript. */
const otherComments = [
  { files: /\.sql$/, pattern: /(?:^[ \t]*--.*\n)+/gm },
  { files: /\.py$/, pattern: /"""[\s\S]*?"""|(?:^[ \t]*#.*\n)+/gm },
  { files: /\.css$/, pattern: /\/\*[\s\S]*?\*\//g },
]

/**
 * Reads the files that Git tracks or would add.
 *
 * @param {string} root
 * @returns {Sources}
 */
export function readSources(root) {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.[jt]s', '*.[jt]sx']
  const paths = execFileSync('git', [...list, '*.sql', '*.py', '*.css', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  return new Map(
    paths
      .split('\n')
      .filter((path) => path !== '' && existsSync(join(root, path)))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
}

/**
 * Returns the comments and docstrings of all sources.
 *
 * @param {Sources} sources
 * @returns {Text[]}
 */
export const commentsIn = (sources) =>
  [...sources].flatMap(([path, source]) => {
    if (isScript.test(path)) return scriptComments(path, source)
    const { pattern } = otherComments.find(({ files }) => files.test(path)) ?? {}
    return pattern
      ? [...source.matchAll(pattern)].map((one) => textAt(path, source, one.index, withoutMarks(one[0])))
      : []
  })

/**
 * Returns the strings of the interface that have at least three words, without SQL.
 *
 * @param {Sources} sources
 * @returns {Text[]}
 */
export const stringsIn = (sources) =>
  [...sources]
    .filter(([path]) => isScript.test(path) && hasInterface.test(path) && !isTest.test(path))
    .flatMap(([path, source]) => scriptStrings(path, source))
    .filter(({ text }) => /\S+\s+\S+\s+\S/.test(text))

/**
 * Returns the titles of tests and of groups of tests.
 *
 * @param {Sources} sources
 * @returns {Text[]}
 */
export const titlesIn = (sources) =>
  [...sources].filter(([path]) => isTestFile.test(path)).flatMap(([path, source]) => testTitles(path, source))

/**
 * Returns the paragraphs, list items, and table rows of Markdown, without code.
 *
 * @param {Sources} sources
 * @param {readonly RegExp[]} wanted the patterns of the pages' paths
 * @returns {Text[]}
 */
export const proseIn = (sources, wanted) =>
  [...sources]
    .filter(([path]) => path.endsWith('.md') && wanted.some((one) => one.test(path)))
    .flatMap(proseOf)

/**
 * Splits a page at empty lines, and before each list item, table row, heading, and quotation.
 *
 * @param {readonly [string, string]} page
 */
function proseOf([path, source]) {
  // Replaces code by empty lines, so that the lines below keep their numbers.
  const prose = source.replace(/^( *)(```+)[\s\S]*?^\1\2$|<!--[\s\S]*?-->/gm, (code) =>
    code.replace(/.+/g, ''),
  )
  const blocks = prose.matchAll(/^.*\S.*(?:\n(?!\s*(?:[-*|#>]|\d+\. |$)).*)*/gm)
  return [...blocks].map((one) => textAt(path, prose, one.index, one[0]))
}

/**
 * @param {string} path
 * @param {string} source
 */
function scriptComments(path, source) {
  /** @type {{ start: number, end: number, type: string }[]} */
  const merged = []
  for (const { type, start, end } of parseSync(path, source).comments) {
    const last = merged.at(-1)
    const isNext =
      last?.type === 'Line' && type === 'Line' && /^\n[ \t]*$/.test(source.slice(last.end, start))
    if (last && isNext) last.end = end
    else merged.push({ type, start, end })
  }
  return merged.map(({ start, end }) => textAt(path, source, start, withoutMarks(source.slice(start, end))))
}

/**
 * @param {string} path
 * @param {string} source
 */
function scriptStrings(path, source) {
  /** @type {Text[]} */
  const found = []
  /** @type {Set<number>} The positions of parts of SQL, and of HTML, which is split at its tags. */
  const tagged = new Set()
  const add = (/** @type {number} */ start, /** @type {string} */ text) => {
    if (!tagged.has(start)) found.push(textAt(path, source, start, text))
  }
  const { program } = parseSync(path, source)
  new Visitor({
    TaggedTemplateExpression: ({ tag, quasi }) => {
      const isHtml = tag.type === 'Identifier' && tag.name === 'html'
      for (const { start, value } of quasi.quasis) {
        if (isHtml) for (const text of (value.cooked ?? value.raw).split(/<[^>]*>/)) add(start, text)
        tagged.add(start)
      }
    },
    Literal: (node) => typeof node.value === 'string' && add(node.start, node.value),
    TemplateElement: ({ start, value }) => add(start, value.cooked ?? value.raw),
    JSXText: ({ start, value }) => add(start, value),
  }).visit(program)
  return found
}

/**
 * @param {string} path
 * @param {string} source
 */
function testTitles(path, source) {
  /** @type {Text[]} */
  const found = []
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (title?.type !== 'Literal' || typeof title.value !== 'string') return
      const call = source.slice(callee.start, callee.end)
      if (/^(test|it|describe)\b/.test(call)) found.push(textAt(path, source, title.start, title.value))
    },
  }).visit(parseSync(path, source).program)
  return found
}

/** @param {string} comment */
const withoutMarks = (comment) =>
  comment.replace(/^\s*(\/\*\*?|\*\/|\*|\/\/|--|#+|""")[ \t]?/gm, '').replace(/\*\/\s*$|"""\s*$/, '')

/**
 * Returns a text in one line, with the number of its first line.
 *
 * @param {string} path
 * @param {string} source
 * @param {number} start
 * @param {string} raw
 * @returns {Text}
 */
const textAt = (path, source, start, raw) => ({
  path,
  line: source.slice(0, start).split('\n').length,
  text: raw.trim().replace(/\s+/g, ' '),
})
