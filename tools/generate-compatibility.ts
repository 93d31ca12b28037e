import { readdirSync, readFileSync } from 'node:fs'
import { badDays, type CompatibilityRecord, capabilities, readRecords } from './compatibility.ts'
import { generated, table } from './pages.ts'

const folder = new URL('../docs/guides/programs/', import.meta.url)

/** Returns `docs/reference/compatibility.md`, which shows what tests observed about each program. */
export function compatibilityReference(): string {
  const records = readRecords()
  return `${generated}
# Compatibility

These programs work with Rolecall. For each, a test runs the real program in a browser, with the configuration of its page, and records the
result. An empty cell was not tested, or does not apply: a proxy that asks about each request has no token to refresh.
[CONTRIBUTING.md](../../CONTRIBUTING.md) explains how to record another version.

${tableOf(capabilities, records)}
| Column | Meaning |
|---|---|
| ${capabilities.signIn} | a member signs in and returns to the program |
| ${capabilities.liveRoles} | a role is removed and given back, without another sign-in. *shown*: the program shows the current roles |
| ${capabilities.refresh} | the access token expires, and the program continues with its refresh token, twice |
| ${capabilities.kicked} | the member is kicked from the server, and the next page that needs roles is refused |
| ${capabilities.backChannelLogout} | the program accepts the logout token of the service |
| ${capabilities.signOut} | the member signs out in the program. This also ends the sign-in at Rolecall, so the next sign-in asks again |
| ${capabilities.staleness} | how long the program can use old roles, or admit a kicked member, after the service has received the change |

## Outages and clock errors

Another test signs a member in to each of these programs, and then disturbs the service and the programs. It fails if a program
behaves differently from this table. Numbers are HTTP statuses; for oidc-client-ts, which runs in the page, 503 stands
for its page that says that the service is not available.

${tableOf(badDays, records)}
| Column | Meaning |
|---|---|
| ${badDays.restart} | the response to a member while the service is down, and after it is back. No program signs the member out in the meantime |
| ${badDays.signingKey} | a new key begins to sign, and the program read the keys before this one was published. The member signs in again |
| ${badDays.clockFast} | a member signs in while the program's clock is five minutes ahead of the service; then the service ends the session. A program that refuses the logout token still shuts the member out when it asks \`userinfo\` |
| ${badDays.clockSlow} | the same, with the clock five minutes behind |
| ${badDays.receiverDown} | a member is kicked while the program's back-channel logout address does not respond: the response to the member in the meantime, and after the address is back. The service tries again at least every 15 minutes for 24 hours |

A logout token is valid for two minutes, so keep the clocks of all machines [synchronized](../guides/openid-connect.md#troubleshooting).

## Not tested

These pages follow the documentation of the programs: ${pagesNotRun().join(', ')}.
`
}

/** Returns a table of the records that have an observation in at least one of the columns. */
function tableOf(columns: Readonly<Record<string, string>>, records: readonly CompatibilityRecord[]): string {
  const rows = records.flatMap(({ program, version, guide, date, observations }) => {
    const results = new Map<string, string>(
      observations.map(({ capability, result }) => [capability, result]),
    )
    const cells = Object.keys(columns).map((name) => results.get(name) ?? '')
    if (cells.every((cell) => cell === '')) return []
    return [[`[${program}](../${guide.replace('docs/', '')})`, version, ...cells, date]]
  })
  return table(['Program', 'Version', ...Object.values(columns), 'Date'], rows)
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
