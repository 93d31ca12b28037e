import type { Binding } from './bindings.ts'
import type { ShownCommand } from './collect.ts'

/** Splits a code block into single commands, without the parts that depend on the reader's environment. */
const unitsOf = (text: string): string[] =>
  text
    .replaceAll(/ *\\\n */g, ' ')
    .split(/\n| && /)
    .map(normalized)
    .filter((line) => line !== '')

/**
 * Removes comments, leading assignments, and redirections from a command, and shortens `npx rolecall` to `rolecall`.
 */
const normalized = (line: string): string =>
  line
    .replace(/(?:^| +)#.*$/, '')
    .trim()
    .replace(/^(?:[A-Z_]+=\S* )+/, '')
    .replace(/ (?:>|\|) \S.*$/, '')
    .replace(/^npx rolecall /, 'rolecall ')

const isOf = ({ page, sections }: Binding, shown: ShownCommand) =>
  shown.page === page &&
  (shown.isBlock || !page?.endsWith('.md')) &&
  (!sections || sections.includes(shown.section))

/** Returns the binding of a whole page that contains this command. */
const pageBinding = (shown: ShownCommand, bindings: readonly Binding[]): Binding | undefined =>
  bindings.find((binding) => isOf(binding, shown))

/** Returns the whole text if it is bound, or else its single commands, which then each need a binding. */
const partsOf = ({ text }: ShownCommand, known: ReadonlySet<string>): string[] =>
  known.has(text) ? [text] : unitsOf(text)

/** Everything that decides whether a shown command is tested. */
export interface Registry {
  readonly bindings: readonly Binding[]
  readonly named: readonly string[]
  readonly printedOnly: Readonly<Record<string, string>>
  /** Returns true if the file of a test exists. */
  readonly exists: (path: string) => boolean
}

/** Lists the shown commands that have neither a test nor a mark, and the entries of the registry that are wrong. */
export function problemsOf(all: readonly ShownCommand[], registry: Registry): string[] {
  const { bindings, named, printedOnly, exists } = registry
  const bound = new Set(bindings.flatMap(({ commands = [] }) => commands))
  const known = new Set([...bound, ...named, ...Object.keys(printedOnly)])
  const parts = new Set(all.flatMap((shown) => [shown.text, ...unitsOf(shown.text)]))
  const isRun = (shown: ShownCommand) =>
    pageBinding(shown, bindings) !== undefined || partsOf(shown, known).every((part) => known.has(part))
  // A mark on one page covers the same command within lines of other pages.
  const marked = new Set(
    all.flatMap(({ text, notRun, isBlock }) => (notRun && !isBlock ? unitsOf(text) : [])),
  )
  const isMarked = ({ text, notRun, isBlock }: ShownCommand) =>
    notRun !== undefined || (!isBlock && unitsOf(text).every((part) => marked.has(part) || known.has(part)))
  const at = ({ page, line, text }: ShownCommand) => `${page}:${line}: ${text.split('\n')[0]}`
  return [
    ...all.filter(({ notRun }) => notRun === '').map((one) => `${at(one)}: the mark gives no reason`),
    ...all
      .filter((one) => !isRun(one) && !isMarked(one))
      .map((one) => `${at(one)}: no test runs it, and no mark says why`),
    ...all
      .filter((one) => one.isBlock && one.notRun !== undefined && isRun(one))
      .map((one) => `${at(one)}: a test runs it, so remove the mark`),
    ...bindings.filter(({ by }) => !exists(by)).map(({ by }) => `${by}: the test does not exist`),
    ...bindings
      .filter((one) => one.page !== undefined && !all.some((shown) => isOf(one, shown)))
      .map(({ by, page, sections }) => `${by}: ${page} ${sections ?? ''} shows no command`),
    ...[...known].filter((text) => !parts.has(text)).map((text) => `${text}: no page or program shows it`),
  ]
}

/**
 * Lists the bound commands that their tests neither ran nor skipped. A script outside the suite must contain the
 * command.
 */
export function notRun(
  all: readonly ShownCommand[],
  { bindings }: Pick<Registry, 'bindings'>,
  noted: readonly string[],
  read: (path: string) => string,
): string[] {
  const texts = new Set(noted.flatMap((text) => [text, ...unitsOf(text)]))
  const isNoted = (text: string) => texts.has(text) || unitsOf(text).every((part) => texts.has(part))
  const ofPages = all.flatMap((shown) => {
    const binding = pageBinding(shown, bindings)
    return binding && !isNoted(shown.text) ? [`${binding.by} did not run ${shown.page}:${shown.line}`] : []
  })
  const single = bindings.flatMap(({ by, commands = [] }) => {
    const isInSuite = by.endsWith('.ts')
    const script = isInSuite ? '' : read(by)
    return commands
      .filter((text) => (isInSuite ? !isNoted(text) : !script.includes(text)))
      .map((text) => `${by} did not run ${text}`)
  })
  return [...ofPages, ...single]
}
