import { picturesFolder, screenshots } from '../apps/console/test/screenshots/list.js'
import { generated } from './pages.ts'

/** Returns `docs/guides/console.md`, which shows screenshots of the console with their descriptions. */
export const consoleGuide = (): string => `${generated}
# The console

Administer the community in a browser, at \`/console/\` of the service. The console offers everything that the admin API offers, within the rights
of your role. To try it, start the [demo](../../README.md#try-it), and sign in as Mara Lind.

## Where to find what

| You need | Open |
| --- | --- |
| the ID of a role | **Servers**, then the server: each role has its ID, its color, and its members |
| the ID of a server, a project, or a member | its page: click the ID under the name to copy it |
| why a person was refused | **Overview**, *Recently refused*; or type their name into *Search* |
| who changed something | **Audit**: filter by a person or a project, or click a name, a kind, or a severity in the list |
| a member's sessions, roles, and block | **Members**, then the member |
| a new API key without downtime | the project, **Keys**, *Replace…*: choose how long the old key stays valid |
| the audit entries of one project | the project, **Audit**, *Open the audit log*: choose a period, and download the CSV file. It contains at most the newest 500 entries of the period |
| to end several sessions, or to change access for several projects | the list: select the rows; the console shows the effects first |
| OpenID Connect, or a reverse proxy | the project, **OpenID Connect** or **Proxy** |

## Work faster

- **Search.** Press \`Ctrl K\` or \`⌘K\`, and type the name of a member, a project, a page, or an action. To open a tab of a project, type both names:
  *wiki keys*.
- **Keyboard.** You can do every task with the keyboard alone. Press \`?\` for the list of shortcuts.
- **Sort and filter.** Click a column to sort a table that shows all its rows. Click a role, a server, a person, or a kind to filter the list. To share
  the list as you see it, copy the address of the page.
- **Safety.** Before a dangerous action, the console shows the effects in numbers. For some actions, you also type the name to confirm.
- **Help.** *Guide* opens the guide for the page. Problems link to their runbooks.
- **Display.** Pages update automatically. Dark or light mode follows your system. Times are in your time zone; hover over a time to see UTC.

## Access of an internal project

An internal project always has access to the main server: the **Access** page shows *Main server (internal)*. If you also grant it access there, that
grant limits its scopes.

In every other case, scopes have no effect without \`READ\`: if you turn \`READ\` off, the form also removes the scopes.

## Pictures

The pictures show the demo community.
${screenshots.map((one) => `\n${one.says}\n\n${picture(one)}\n`).join('')}
## Turn off or change the console

To turn off the console, set \`CONSOLE=off\`. [Decision 43](../decisions/0043-console.md) explains its design, and
[security](../security/console.md) the attacks that it withstands. \`npm run screenshots\` takes the pictures again.
\`npm run console -w bench\` measures the console with 200,000 members, 500 projects, and 1,000,000 audit entries.
`

const picture = ({ file, alt, width }: (typeof screenshots)[number]) =>
  `<img src="../${picturesFolder.replace('docs/', '')}/${file}" width="${width === 390 ? 320 : 880}" alt="${alt}">`
