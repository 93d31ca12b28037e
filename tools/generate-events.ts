import { events as contractEvents, exampleStream, type Schema } from '@rolecall/contract'
import { listFields } from '../apps/api/src/features/docs/fields.ts'
import { generated, table } from './pages.ts'

/** The schema of the data of each event, by the name of the event. */
const events: object = contractEvents.streamEvents.answers[200].events

/** Returns `docs/reference/events.md`, which describes every event of a project and its data. */
export const eventReference = (): string => `${generated}
# Events reference

The events of a project and their data, in the stream \`/api/events\` and in deliveries. To subscribe, follow [Events](../guides/events.md), which
also says to which projects each event is sent. No event contains a token.
${Object.entries<Schema>({ ...events })
  .map(eventSection)
  .join('')}`

function eventSection([name, data]: [string, Schema]): string {
  const rows = listFields(data).map((field) => [`\`${field.name}\``, field.type, field.meaning])
  return `
## ${name}

${data.description}

${table(['Field', 'Type', 'Meaning'], rows)}
\`\`\`text
${exampleStream({ [name]: data })}
\`\`\`
`
}
