/** The guides of the client library, each loaded when it is shown: the code is written, and tried, in one place. */
const guides = import.meta.glob<string>('../../../../../docs/guides/stacks/*.md', {
  query: '?raw',
  import: 'default',
})

/** Stacks that have a guide, by the name of its file. */
export const stacks = [
  ['next', 'Next.js'],
  ['sveltekit', 'SvelteKit'],
  ['nuxt', 'Nuxt'],
  ['express', 'Express'],
  ['fastify', 'Fastify'],
  ['hono', 'Hono'],
  ['fetch', 'Any other'],
] as const

export interface Listing {
  readonly title: string
  readonly text: string
}

/** The listings of a guide, in their order; the environment with the values of this project. */
export async function loadListings(
  stack: string,
  values: Readonly<Record<string, string>>,
  role?: SampleRole,
): Promise<Listing[]> {
  const [, load] = Object.entries(guides).find(([path]) => path.endsWith(`/${stack}.md`)) ?? []
  return load ? listingsOf(await load(), values, role) : []
}

/** A role of the project's server, for the code that asks for one. */
export interface SampleRole {
  readonly id: string
  readonly name: string
}

/** A line of a guide that asks for the role of its example. */
const lineWithRole = /^(.*anyOf: \[')\d{17,20}('\].*)$/gm

/** Whose role it is, is said at the end of the line; a name has no line of its own, so that it stays a comment. */
const withRole = (text: string, role: SampleRole | undefined) =>
  text.replace(lineWithRole, (_line, before: string, after: string) =>
    role
      ? `${before}${role.id}${after} // the role ${role.name.replaceAll(/\s+/g, ' ')}`
      : `${before}ROLE_ID${after} // put the id of a role here`,
  )

function listingsOf(
  guide: string,
  values: Readonly<Record<string, string>>,
  role: SampleRole | undefined,
): Listing[] {
  return [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = '', code = '']) => {
    const text = code.trimEnd()
    if (language === 'ini') return { title: 'Environment', text: withValues(text, values) }
    if (language === 'sh') return { title: text.includes('npm install') ? 'Install' : 'Start', text }
    const [, title = language] = /^(?:\/\/|<!--|#) ?([\w.+/[\]()-]+)(?: -->)?$/m.exec(text) ?? []
    return { title, text: withRole(text, role) }
  })
}

const withValues = (text: string, values: Readonly<Record<string, string>>) =>
  text.replace(/^(\w+)=.*$/gm, (line, name: string) => {
    const value = values[name]
    return value === undefined ? line : `${name}=${value}`
  })

const webhookGuide = import.meta.glob<string>('../../../../../docs/guides/inbound-webhooks.md', {
  query: '?raw',
  import: 'default',
})
const signingHeading = '## 3. Sign and send'

/** The commands of the guide that sign a payload and send it, for one webhook. */
export async function loadSigning(slug: string, payload: string): Promise<string> {
  const [load] = Object.values(webhookGuide)
  const guide = (await load?.()) ?? ''
  const section = guide.slice(guide.indexOf(signingHeading))
  const [, code = ''] = /^```sh\n([\s\S]*?)^```/m.exec(section) ?? []
  return code
    .trimEnd()
    .replaceAll('/inbound-webhooks/readings/', `/inbound-webhooks/${slug}/`)
    .replace(/^submit '.*'$/m, () => `submit ${shellQuoted(payload)}`)
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
