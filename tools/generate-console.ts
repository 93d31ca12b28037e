import { picturesFolder, screenshots } from '../apps/console/test/screenshots/list.js'
import { generated } from './pages.ts'

/** Returns `docs/guides/console.md`: the pictures with their descriptions. */
export const consoleGuide = (): string => `${generated}
# The console

The console at \`/console/\` offers everything that the admin API does, for a community's owners. It contacts only its own
service and updates by itself. The keyboard is enough: \`Ctrl K\` or \`⌘K\` opens the command palette, and \`?\` lists the other
shortcuts. The console offers what the reader's role allows. Before a dangerous action, it shows the effects in numbers and asks for the
name. Dark or light mode follows the system. Times are in the reader's time zone, with UTC on hover.

To try it, run \`npm start\` and sign in as Mara Lind. For its design, see [decision 43](../decisions/0043-console.md). For the
attacks that it withstands, see [security](../security/console.md). \`npm run console -w bench\` measures it with 200,000 members,
500 projects, and 1,000,000 audit entries. \`CONSOLE=off\` leaves it out.

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

A click on a column sorts a table that is complete, and a click on a role, a server, a person, or a kind narrows the list. The
address keeps both, so a link shows the same. On a phone each row is a card with every column. *Guide* leads from a page to
the guide that explains it, and a firing alert links to its runbook. *Search* also opens a tab of a project: type *wiki keys*.

An internal project always uses the main server: the page **Access** says *Main server (internal)*. Access of its own
limits its scopes there. Scopes take effect only where members can sign in, so the form stores none without that.

## Pictures

The pictures are of the demo community; \`npm run screenshots\` takes them again.
${screenshots.map(({ file, says, width }) => `\n${says}\n\n${picture(file, says, width)}\n`).join('')}`

const picture = (file: string, says: string, width: number) =>
  `<img src="../${picturesFolder.replace('docs/', '')}/${file}" width="${width === 390 ? 320 : 880}" alt="${says}">`
