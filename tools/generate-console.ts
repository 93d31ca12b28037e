import { picturesFolder, screenshots } from '../apps/console/test/screenshots/list.js'
import { generated } from './pages.ts'

/** Returns `docs/guides/console.md`: the pictures with their descriptions. */
export const consoleGuide = (): string => `${generated}
# The console

At \`/console/\` of the service: everything that the admin API does, for a community's owners. It asks nothing but its own
service, follows what others do by itself, and works by the keyboard alone: \`Ctrl K\` or \`⌘K\` goes to anything, \`?\` lists the
other keys. It offers what the reader's role allows. Dangerous acts say first in numbers what they
will do, and take the name by typing. Dark or light is as the system says; times are in the reader's zone, with UTC on hover.

To try it: \`npm start\`, then log in as Mara Lind. What it is made of, and why:
[decision 0043](../decisions/0043-console.md). What it withstands: [security](../security/console.md). How fast it
is with 200,000 members, 500 projects and 1,000,000 audit entries: \`npm run console -w bench\`. \`CONSOLE=off\` leaves it out.

## Where to find what

| You need | Open |
| --- | --- |
| the ID of a role | **Servers**, then the server: each role has its ID, its color, and its members |
| the ID of a server, a project, or a member | the list, or the line under the name on its page; a click copies it |
| why a person was refused | **Overview**, *Recently refused*; or type the name into *Search* |
| who changed something | **Audit**: pick a person and a project by name, or click a name, a kind, or a severity in the list |
| a member's sessions, roles, and block | **Members**, then the member |
| a new API key without an outage | the project, **Keys**, *Replace…*: the old key stays valid for an hour, a day, a week, or until a time that you set |
| the audit entries of one project | type the name of the project and *audit* into *Search*, choose a period, and download |
| several sessions to end, or access to give or take away | select them in the list: the effects are shown first, and each failure is named |
| OpenID Connect, or a reverse proxy | the project, **OpenID Connect** or **Proxy** |

A click on a column sorts a table that is complete, and a click on a role, a server, a person, or a kind narrows the list. The
address keeps both, so a link shows the same. On a phone each row is a card with every column. *Guide* leads from a page to
the guide that explains it, and a firing alert links to its runbook. *Search* also opens a tab of a project: type *wiki keys*.

An internal project always uses the main server: the page **Access** says *Main server (internal)*. An access of its own
limits what it can ask there. A project can ask about members only where they may log in, so the form stores no scope
without that.

## Pictures

The pictures are of the demo community; \`npm run screenshots\` takes them again.
${screenshots.map(({ file, says, width }) => `\n${says}\n\n${picture(file, says, width)}\n`).join('')}`

const picture = (file: string, says: string, width: number) =>
  `<img src="../${picturesFolder.replace('docs/', '')}/${file}" width="${width === 390 ? 320 : 880}" alt="${says}">`
