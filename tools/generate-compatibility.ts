import { readdirSync, readFileSync } from 'node:fs'
import { type Capability, type CompatibilityRecord, capabilities, readRecords } from './compatibility.ts'
import { generated, table } from './pages.ts'

const folder = new URL('../docs/guides/programs/', import.meta.url)

/** Returns `docs/reference/compatibility.md`: what tests saw of each program. */
export function compatibilityReference(): string {
  const records = readRecords()
  return `${generated}
# Compatibility

Each row is a real program that a test uses in a browser, with the configuration of its page. A cell contains the result of the test;
an empty cell was not tested. [CONTRIBUTING.md](../../CONTRIBUTING.md) explains how to record another version.

${table(['Program', 'Version', ...Object.values(capabilities), 'Date'], records.map(rowOf))}
| Column | Meaning |
|---|---|
| ${capabilities.signIn} | a member signs in and returns to the program |
| ${capabilities.liveRoles} | a role is removed and given back, without another sign-in |
| ${capabilities.refresh} | the access token expires, and the program continues with its refresh token, twice |
| ${capabilities.kicked} | the member is kicked from the server, and the next page that needs roles is refused |
| ${capabilities.backChannelLogout} | the program accepts the logout token of the service |
| ${capabilities.signOut} | the member signs out in the program, and the next sign-in asks again |
| ${capabilities.staleness} | how long the program can use old roles, or admit a kicked member, after the service has received the change |

## Not run

These pages follow the documentation of the programs: ${pagesNotRun().join(', ')}.
`
}

const rowOf = ({ program, version, guide, date, observations }: CompatibilityRecord): string[] => {
  const results = new Map(observations.map(({ capability, result }) => [capability, result]))
  const cells = Object.keys(capabilities).map((name) => results.get(name as Capability) ?? '')
  return [`[${program}](../${guide.replace('docs/', '')})`, version, ...cells, date]
}

/** Returns links to the pages of programs that say that no test runs them. */
const pagesNotRun = (): string[] =>
  readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .toSorted()
    .flatMap((name) => {
      const page = readFileSync(new URL(name, folder), 'utf8')
      const [, title = name] = /^# (.+)$/m.exec(page) ?? []
      return isNotRun(page) ? [`[${title}](../guides/programs/${name})`] : []
    })

/** Returns true for a page that says that no test runs its program. */
export const isNotRun = (page: string): boolean => page.includes('Not run by our tests')
