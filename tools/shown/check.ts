import type { Binding } from './bindings.ts'
import type { ShownCommand } from './collect.ts'

/** The lines of a block as single commands, without what depends on a reader's environment. */
const unitsOf = (text: string): string[] =>
  text
    .replaceAll('\\\n', '')
    .split(/\n| && /)
    .map(plain)
    .filter((line) => line !== '')

/** A command without comment, assignments before it, and redirection; `npx rolecall` is `rolecall`. */
const plain = (line: string): string =>
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

/** Returns the binding of a whole page that has this command. */
const pageBinding = (shown: ShownCommand, bindings: readonly Binding[]): Binding | undefined =>
  bindings.find((binding) => isOf(binding, shown))

/** The command as it is shown, or else its single commands, which have to be bound each. */
const partsOf = ({ text }: ShownCommand, known: ReadonlySet<string>): string[] =>
  known.has(text) ? [text] : unitsOf(text)

export interface Registry {
  readonly bindings: readonly Binding[]
  readonly named: readonly string[]
  readonly printedOnly: Readonly<Record<string, string>>
  /** True when the file of a test is there. */
  readonly exists: (path: string) => boolean
}

/** Lists what is wrong between the commands that are shown and the registry of those that tests run. */
export function problemsOf(all: readonly ShownCommand[], registry: Registry): string[] {
  const { bindings, named, printedOnly, exists } = registry
  const bound = new Set(bindings.flatMap(({ commands = [] }) => commands))
  const known = new Set([...bound, ...named, ...Object.keys(printedOnly)])
  const parts = new Set(all.flatMap((shown) => [shown.text, ...unitsOf(shown.text)]))
  const isRun = (shown: ShownCommand) =>
    pageBinding(shown, bindings) !== undefined || partsOf(shown, known).every((part) => known.has(part))
  // A page that lists all commands may carry the mark for those that others name.
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
    ...bindings.filter(({ by }) => !exists(by)).map(({ by }) => `${by}: there is no such test`),
    ...bindings
      .filter((one) => one.page !== undefined && !all.some((shown) => isOf(one, shown)))
      .map(({ by, page, sections }) => `${by}: ${page} ${sections ?? ''} shows no command`),
    ...[...known].filter((text) => !parts.has(text)).map((text) => `${text}: nothing shows it`),
  ]
}

/** Lists bound commands that their tests neither ran nor skipped. Scripts outside the suite have to hold their text. */
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
