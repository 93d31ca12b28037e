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

The pictures are of the demo community; \`npm run screenshots\` takes them again.
${screenshots.map(({ file, says, width }) => `\n${says}\n\n${picture(file, says, width)}\n`).join('')}`

const picture = (file: string, says: string, width: number) =>
  `<img src="../${picturesFolder.replace('docs/', '')}/${file}" width="${width === 390 ? 320 : 880}" alt="${says}">`
