import { picturesFolder, screenshots } from '../apps/console/test/screenshots/list.js'
import { generated } from './pages.ts'

/** Returns `docs/guides/console.md`, which shows screenshots of the console with their descriptions. */
export const consoleGuide = (): string => `${generated}
# The console

Administer the community in a browser, at \`/console/\`. The console offers everything that the admin API does, within the rights of
your role. To try it, run \`npm start\` and sign in as Mara Lind.

- \`Ctrl K\` or \`⌘K\` opens the command palette, and \`?\` lists the other shortcuts. Every task is possible with the keyboard alone.
- Before a dangerous action, the console shows the effects in numbers and asks for the name.
- Pages update automatically, and the console contacts only its own service.
- Dark or light mode follows the system. Times are in your time zone, with UTC on hover.

For its design, see [decision 43](../decisions/0043-console.md). For the
attacks that it withstands, see [security](../security/console.md). \`npm run console -w bench\` measures it with 200,000 members,
500 projects, and 1,000,000 audit entries. \`CONSOLE=off\` disables it.

## Where to find what

| You need | Open |
| --- | --- |
| the ID of a role | **Servers**, then the server: each role has its ID, its color, and its members |
| the ID of a server, a project, or a member | the list, or the line under the name on its page; a click copies it |
| why a person was refused | **Overview**, *Recently refused*; or type the name into *Search* |
| who changed something | **Audit**: pick a person and a project by name, or click a name, a kind, or a severity in the list |
| a member's sessions, roles, and block | **Members**, then the member |
| a new API key without an outage | the project, **Keys**, *Replace…*: the old key stays valid for an hour, a day, a week, or until a set time |
| the audit entries of one project | type the name of the project and *audit* into *Search*, choose a period, and download |
| several sessions to end, or access to give or take away | select them in the list: the effects are shown first, and each failure is named |
| OpenID Connect, or a reverse proxy | the project, **OpenID Connect** or **Proxy** |

Click a column to sort a table that has all rows. Click a role, a server, a person, or a kind to filter the list. The address contains
both, so a link shows the same list. On a phone, each row is a card with every column. *Guide* opens the guide for a page, and a firing
alert links to its runbook. *Search* also opens a tab of a project: type *wiki keys*.

An internal project always uses the main server: the page **Access** shows *Main server (internal)*. If you also grant it access there,
that grant limits its scopes. Scopes take effect only in servers where members can sign in, so the form stores no scopes without \`READ\`.

## Pictures

The pictures are of the demo community; \`npm run screenshots\` takes them again.
${screenshots.map(({ file, says, width }) => `\n${says}\n\n${picture(file, says, width)}\n`).join('')}`

const picture = (file: string, says: string, width: number) =>
  `<img src="../${picturesFolder.replace('docs/', '')}/${file}" width="${width === 390 ? 320 : 880}" alt="${says}">`
