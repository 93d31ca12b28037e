import { commentsIn, proseIn, stringsIn, titlesIn } from './texts.js'

/**
 * A rule about words. At most the share `budget` of its texts may break it.
 *
 * @typedef {object} Rule
 * @property {string} title what the rule requires
 * @property {number} budget a share from 0 to 1
 * @property {(sources: import('./texts.js').Sources) => import('./texts.js').Text[]} read returns the texts to check
 * @property {(text: string) => boolean} isBroken
 * @property {{ path: string, text: string }} planted a file that breaks the rule. A test adds it, and checks that it is
 *   found.
 */
/** @typedef {Rule & { total: number, found: import('./texts.js').Text[] }} Result */

/** The maximum shares of texts that may break a rule. Lower a share when fewer texts break its rule. Never raise it. */
const budgets = {
  relativeComments: 0.02,
  pronounComments: 0.01,
  strings: 0.005,
  titles: 0,
  pages: 0,
  longSentences: 0.005,
}
/** The maximum number of words in a sentence. A colon and a semicolon also end a sentence. */
const maxWords = 25

const relative = /^(Who|What|Where|When|Of|Whether|Whoever|Whatever|Whose)\b/
const pronoun = /\b(whoever|whatever|whose|nobody|somebody)\b/i
/** Matches names and titles that a page quotes: code, italics, and the title of a test after its file. */
const quoted = /`[\w./-]+\.test\.ts`: [^|]*|`[^`]*`|(?<![*\w])\*[^*]+\*(?!\*)/g
const isRelative = (/** @type {string} */ text) => relative.test(text)
const hasPronoun = (/** @type {string} */ text) => pronoun.test(text)

const readme = /^README\.md$/
const guides = /^docs\/guides\//
const packages = /^(packages\/[\w-]+|clients\/python|examples\/[\w-]+|deploy|bench)\/[\w-]+\.md$/i
const explanations = /^docs\/(security|decisions)\//
/** @type {readonly Rule[]} */
export const rules = [
  {
    title: 'comments begin with a verb or a subject, not with a relative word',
    budget: budgets.relativeComments,
    read: commentsIn,
    isBroken: isRelative,
    planted: { path: 'apps/api/src/planted.ts', text: '/** What is planted. */\nexport const planted = 1' },
  },
  {
    title: 'comments name persons and things, without “whoever”, “whose”, or “nobody”',
    budget: budgets.pronounComments,
    read: commentsIn,
    isBroken: hasPronoun,
    planted: { path: 'clients/python/src/planted.py', text: '"""Returns a key\nthat nobody has."""\n' },
  },
  {
    title: 'strings of the interface begin with a subject and name persons and things',
    budget: budgets.strings,
    read: stringsIn,
    isBroken: (text) => isRelative(text) || hasPronoun(text),
    planted: {
      path: 'apps/console/src/planted.tsx',
      text: 'export const planted = <p>\n  Nobody is signed in.\n</p>',
    },
  },
  {
    title: 'titles of tests name persons and things, without “whoever”, “whatever”, or “nobody”',
    budget: budgets.titles,
    read: titlesIn,
    isBroken: (text) => /\b(whoever|whatever|nobody|somebody)\b/i.test(text),
    planted: {
      path: 'tools/planted.test.ts',
      text: "test.each([1])('whoever asks for %i gets it', () => {})",
    },
  },
  {
    title: 'pages name persons and things, without “whoever”, “whose”, or “nobody”',
    budget: budgets.pages,
    read: (sources) => proseIn(sources, [readme, guides, explanations, packages]),
    isBroken: (text) => hasPronoun(text.replace(quoted, '')),
    planted: { path: 'docs/guides/planted.md', text: '# Planted\n\nThe key of\nwhoever asks.\n' },
  },
  {
    title: `sentences of guides have at most ${maxWords} words`,
    budget: budgets.longSentences,
    read: (sources) => proseIn(sources, [readme, guides, packages]).flatMap(sentencesOf),
    isBroken: (sentence) => wordsOf(sentence).length > maxWords,
    planted: { path: 'docs/guides/planted.md', text: `This sentence${' goes on'.repeat(12)}.` },
  },
]

/**
 * Applies each rule to the sources.
 *
 * @param {import('./texts.js').Sources} sources
 * @returns {Result[]}
 */
export const check = (sources) =>
  rules.map((rule) => {
    const texts = rule.read(sources)
    return { ...rule, total: texts.length, found: texts.filter(({ text }) => rule.isBroken(text)) }
  })

/** @param {Result} result */
export const isOverBudget = ({ budget, total, found }) => found.length > budget * total

/**
 * Splits a paragraph into sentences. Code counts as one word, and tables have no sentences.
 *
 * @param {import('./texts.js').Text} block
 */
function sentencesOf({ text, ...place }) {
  if (text.startsWith('|')) return []
  const plain = text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'code')
    .replace(/[*_]/g, '')
  return plain.split(/(?<=[.!?:;][)”]?)\s+/).map((sentence) => ({ ...place, text: sentence }))
}

/** @param {string} sentence */
const wordsOf = (sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word))
