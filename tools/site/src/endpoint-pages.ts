import { describeContract } from '../../../apps/api/src/features/docs/describe-endpoint.ts'
import { endpointText } from '../../generate-endpoint.ts'
import type { Page } from './page.ts'

/** The address of the service in the sample requests. */
const exampleUrl = 'https://rolecall.example'
const folder = 'docs/reference/api'
/** The page with a row for each endpoint. */
export const endpointList = 'docs/reference/api.md'

/** Returns a page for each endpoint of the contract. */
export const endpointPages = (): readonly Page[] =>
  describeContract(exampleUrl).flatMap(({ tag, endpoints }) =>
    endpoints.map((endpoint) => ({
      source: `${folder}/${endpoint.id}.md`,
      chapter: tag,
      markdown: `# ${endpoint.summary}\n\n${endpointText(endpoint, endpoint.description ?? '', '../errors.md')}${examples(endpoint)}`,
      keywords: `${endpoint.id} ${endpoint.method} ${endpoint.path} endpoint`,
    })),
  )

const examples = ({ answers }: Parameters<typeof endpointText>[0]) =>
  answers
    .filter(({ example }) => example !== undefined)
    .map(
      ({ status, example }) =>
        `\n## Example of a response with ${status}\n\n\`\`\`json\n${example}\n\`\`\`\n`,
    )
    .join('')

/** Links each row of the list of endpoints to the page of its endpoint, which exists only on the site. */
export const linkEndpoints = (list: string): string =>
  list.replaceAll(/<a id="(\w+)"><\/a>`(\w+)`/g, '<a id="$1" href="api/$2.md">`$2`</a>')

/** The source of the page for each endpoint, by the endpoint's anchor in the list. */
export const endpointSources: ReadonlyMap<string, string> = new Map(
  describeContract(exampleUrl).flatMap(({ endpoints }) =>
    endpoints.map(({ id }) => [id.toLowerCase(), `${folder}/${id}.md`]),
  ),
)
