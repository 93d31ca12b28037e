import type { AnswerPage, EndpointPage } from '../apps/api/src/features/docs/describe-endpoint.ts'
import type { Field } from '../apps/api/src/features/docs/fields.ts'
import { table } from './pages.ts'

/**
 * Returns the description of an endpoint without its heading.
 *
 * @param lead its first paragraph
 * @param errors the address of the page of errors, relative to the page that contains the text
 */
export const endpointText = (one: EndpointPage, lead: string, errors: string): string =>
  `\`${one.method} ${one.path}\`

${lead}

Authorization: ${one.auth}

\`\`\`sh
${one.request}
\`\`\`
${one.inputs.map(({ title, fields }) => `\n${title}:\n\n${fieldTable(fields)}`).join('')}${one.answers.map(answerSection).join('')}
Errors: ${one.refusals.map(({ status, code }) => `${status} [\`${code}\`](${errors}#${code.toLowerCase()})`).join(', ')}.
`.replaceAll('?.', '?')

const answerSection = ({ status, text, fields }: AnswerPage): string =>
  `\nResponse ${status}:${text && ` ${text}`}\n${fields.length > 0 ? `\n${fieldTable(fields)}` : ''}`

const fieldTable = (fields: readonly Field[]): string =>
  table(
    ['Field', 'Type', 'Required', 'Meaning'],
    fields.map(({ name, type, isRequired, meaning }) => [
      `\`${name}\``,
      type,
      isRequired ? 'yes' : 'no',
      meaning,
    ]),
  )
