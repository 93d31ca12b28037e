import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Queryable } from '../apps/api/src/platform/db/database.ts'
import { generated, table } from './pages.ts'
import { type Catalog, type Column, type Constraint, type Relation, readCatalog } from './schema-catalog.ts'
import { triggerTable } from './schema-triggers.ts'
import { exceptions, owners } from './table-owners.ts'

const migrations = fileURLToPath(new URL('../apps/api/migrations/', import.meta.url))

/** The tables, views, and functions that belong together, because the same migration file created them. */
interface Domain {
  readonly file: string
  readonly title: string
  readonly summary: string
  readonly names: readonly string[]
}

/** Returns `docs/reference/schema.md`, which describes the schema of a migrated database, by domain. */
export async function schemaReference(db: Queryable): Promise<string> {
  const catalog = await readCatalog(db)
  refuseUncommented(catalog)
  const domains = readDomains()
  const tables = catalog.relations.filter(({ kind }) => kind === 'table')
  return `${generated}
# Database schema

The ${tables.length} tables of a migrated database on PostgreSQL, with their columns, keys, indexes, and triggers. The catalog of
the database is the source. A domain is a file of [apps/api/migrations](../../apps/api/migrations); its comments are shown here.

Each table has an owner: the folder below \`apps/api/src\` that writes it. A test checks every statement against the owner. Triggers
run in the transaction of a change, for every statement: ${catalog.triggers.length} triggers guard append-only tables, write events and the
[change log](../decisions/0030-leases.md), and keep columns that depend on other rows. The runner of migrations keeps
the table \`migrations\`: name and checksum of each applied file, and the oldest version that works beside it.

## Domains

${domains.map(({ title, names }) => `- ${[`[${title}](#${anchor(title)})`, names.map((name) => `\`${name}\``).join(', ')].filter(Boolean).join(': ')}\n`).join('')}
## Foreign keys

${diagram(catalog.constraints)}
${domains.map((domain) => section(domain, catalog)).join('\n')}`
}

/** Throws if a table, view, function, or trigger has no comment. */
function refuseUncommented({ relations, functions, triggers }: Catalog) {
  const silent = [
    ...relations.flatMap((one) =>
      one.comment || one.name === 'migrations' ? [] : [`The ${one.kind} ${one.name}`],
    ),
    ...functions.flatMap(({ name, comment }) => (comment ? [] : [`The function ${name}`])),
    ...triggers.flatMap(({ name, why, effect }) =>
      why && effect ? [] : [`The trigger ${name}, or its function,`],
    ),
  ]
  if (silent.length > 0) throw new Error(`${silent.join(', ')} has no comment.`)
}

const readDomains = (): Domain[] =>
  readdirSync(migrations)
    .sort()
    .map((file) => {
      const text = readFileSync(`${migrations}${file}`, 'utf8')
      const words = file.slice('0000_'.length, -'.sql'.length).replaceAll('_', ' ')
      const [head = ''] = /^(-- .*\n)+/.exec(text) ?? []
      return {
        file,
        title: words === 'oidc' ? 'OpenID Connect' : words.charAt(0).toUpperCase() + words.slice(1),
        summary: head.replaceAll(/^-- /gm, '').trim(),
        names: [...text.matchAll(/^create (?:unlogged )?(?:table|view) (\w+)/gm)].flatMap(
          ([, name]) => name ?? [],
        ),
      }
    })

const anchor = (title: string) => title.toLowerCase().replaceAll(' ', '-')

/** Returns all foreign keys as one diagram. The marks at the ends of a line show how many rows belong together. */
const diagram = (constraints: readonly Constraint[]): string =>
  `\`\`\`mermaid
erDiagram
${constraints
  .flatMap(({ relation, refersTo, columns, isNullable, isUnique }) =>
    refersTo
      ? [
          `  ${refersTo} ${isNullable ? '|o' : '||'}--${isUnique ? 'o|' : 'o{'} ${relation} : "${columns.join(', ')}"`,
        ]
      : [],
  )
  .join('\n')}
\`\`\`
`

function section(domain: Domain, catalog: Catalog): string {
  const text = readFileSync(`${migrations}${domain.file}`, 'utf8')
  const functions = catalog.functions.filter(({ name }) => text.includes(`create function ${name}(`))
  return `## ${domain.title}

${domain.summary} ([${domain.file}](../../apps/api/migrations/${domain.file}))
${domain.names.map((name) => relationSection(named(catalog.relations, name), catalog)).join('')}${
  functions.length === 0
    ? ''
    : `\n${table(
        ['Function', 'What it does'],
        functions.map(({ signature, comment }) => [`\`${short(signature)}\``, comment ?? '']),
      )}`
}`
}

function named(relations: readonly Relation[], name: string): Relation {
  const found = relations.find((one) => one.name === name)
  if (!found) throw new Error(`A migration creates ${name}, and the database does not have it.`)
  return found
}

function relationSection({ name, kind, comment }: Relation, catalog: Catalog): string {
  const of = <One extends { readonly relation: string }>(all: readonly One[]) =>
    all.filter(({ relation }) => relation === name)
  const columns = of(catalog.columns)
  if (kind === 'view')
    return `\n### ${name} (view)\n\n${comment}\n\nColumns: ${columns.map((one) => `\`${one.name}\``).join(', ')}.\n`
  const keys = of(catalog.constraints).map(({ definition }) => `- \`${definition}\``)
  const indexes = of(catalog.indexes).map(({ name: index, definition, comment: why }) => {
    const [, unique = '', on = ''] = /^CREATE (UNIQUE )?INDEX .* USING (.*)$/s.exec(definition) ?? []
    return `- \`${index}\`: ${unique.toLowerCase()}\`${on}\`${why ? `. ${why}` : ''}`
  })
  const triggers = of(catalog.triggers)
  return `
### ${name}

${comment}

${ownerSentence(name)}

${columnTable(columns)}
${[...keys, ...indexes].join('\n')}
${triggers.length === 0 ? '' : `\n${triggerTable(triggers)}`}`
}

function ownerSentence(name: string): string {
  const owner = owners[name]
  const others = Object.entries(exceptions[name] ?? {}).map(([folder, why]) => ` \`${folder}\` ${why}.`)
  return owner ? `Owner: \`${owner}\`.${others.join('')}` : 'Written by triggers only.'
}

/** Returns a type or an expression on one line, in the notation of the migrations. */
const short = (text: string) =>
  text
    .replaceAll(/timestamp(\(\d\))? with time zone/g, 'timestamptz$1')
    .replaceAll(/\s+/g, ' ')
    .trim()

const columnTable = (columns: readonly Column[]): string =>
  table(
    ['Column', 'Type', 'Null', 'Default', 'Description'],
    columns.map(({ name, type, isNullable, expression, generated: how, comment }) => [
      `\`${name}\``,
      `\`${short(type)}\``,
      isNullable ? 'yes' : '',
      how === 'identity'
        ? 'identity'
        : expression
          ? `${how === 'stored' ? 'generated: ' : ''}\`${short(expression)}\``
          : '',
      comment ?? '',
    ]),
  )
