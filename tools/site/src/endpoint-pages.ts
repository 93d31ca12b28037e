import { describeContract } from '../../../apps/api/src/features/docs/describe-endpoint.ts'
import { endpointText } from '../../generate-endpoint.ts'
import type { Page } from './page.ts'

/** The address in the requests that pages show. */
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

/** Lets each row of the list of endpoints link to the page of its endpoint, which the repository does not have. */
export const linkEndpoints = (list: string): string =>
  list.replaceAll(/<a id="(\w+)"><\/a>`(\w+)`/g, '<a id="$1" href="api/$2.md">`$2`</a>')

/** Returns the source of the page that describes the operation with this anchor in the list. */
export const endpointSources: ReadonlyMap<string, string> = new Map(
  describeContract(exampleUrl).flatMap(({ endpoints }) =>
    endpoints.map(({ id }) => [id.toLowerCase(), `${folder}/${id}.md`]),
  ),
)
