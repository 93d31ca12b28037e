import { pythonStack } from './stacks.ts'

/**
 * The guides of the client library, loaded when needed. The console shows their code, so each listing exists only once.
 */
const guides = import.meta.glob<string>('../../../../../docs/guides/stacks/*.md', {
  query: '?raw',
  import: 'default',
})

/** The page of the Python client, with a section for FastAPI. */
const pythonGuide = import.meta.glob<string>('../../../../../clients/python/README.md', {
  query: '?raw',
  import: 'default',
})

/** A listing of a guide: its title, and its code. */
export interface Listing {
  readonly title: string
  readonly text: string
}

/** Loads the listings of a guide in order, and fills in the environment with the values of this project. */
export async function loadListings(
  stack: string,
  values: Readonly<Record<string, string>>,
  role?: SampleRole,
): Promise<Listing[]> {
  if (stack === pythonStack) return loadPython(values, role)
  return listingsOf(await readGuide(stack), values, role)
}

async function readGuide(stack: string): Promise<string> {
  const [, load] = Object.entries(guides).find(([path]) => path.endsWith(`/${stack}.md`)) ?? []
  return (await load?.()) ?? ''
}

/**
 * Loads the listings for FastAPI. The file with the variables is the same for all stacks, so another guide provides it.
 */
async function loadPython(
  values: Readonly<Record<string, string>>,
  role: SampleRole | undefined,
): Promise<Listing[]> {
  const [load] = Object.values(pythonGuide)
  const guide = (await load?.()) ?? ''
  const section = /^## FastAPI\n[\s\S]*?(?=^## )/m.exec(guide)?.[0] ?? ''
  const inSection = listingsOf(section, values, role)
  const [client] = listingsOf(guide, values, role).filter(isPipInstall)
  const installs = [...(client ? [client] : []), ...inSection.filter(isPipInstall)]
  const environment = listingsOf(await readGuide('fastify'), values, role).filter(isEnvironment)
  return [
    { title: 'Install', text: installs.map(({ text }) => text).join('\n') },
    ...environment,
    ...inSection.filter((listing) => !isPipInstall(listing)),
  ]
}

const isPipInstall = ({ text }: Listing): boolean => text.includes('pip install')

const isEnvironment = ({ title }: Listing): boolean => title === 'Environment'

/** A role of the project's server, for the code that requires one. */
export interface SampleRole {
  readonly id: string
  readonly name: string
}

/** Matches a line of a guide with the role ID of its example, in JavaScript and in Python. */
const lineWithRole = /^(.*(?:anyOf: \['|role_id = "))\d{17,20}(['"].*)$/gm

/**
 * Replaces the role ID, and appends the name of the role as a comment. Removes line breaks from the name, so that it
 * cannot leave the comment and become code.
 */
const withRole = (text: string, role: SampleRole | undefined) =>
  text.replace(lineWithRole, (_line, before: string, after: string) => {
    const mark = after.startsWith('"') ? '#' : '//'
    return role
      ? `${before}${role.id}${after} ${mark} the role ${role.name.replaceAll(/\s+/g, ' ')}`
      : `${before}ROLE_ID${after} ${mark} put the ID of a role here`
  })

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

/** Loads the guide's commands that sign and send a payload, and fills in the webhook and the payload. */
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
