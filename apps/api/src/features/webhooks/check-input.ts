import type { ProblemDetail } from '@rolecall/contract'
import { invalid } from '#platform/http/check-request'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'

type SchemaDeps = Pick<Deps, 'schemas'>

interface Input {
  readonly schema?: Record<string, unknown>
  readonly acceptedOrigins?: readonly string[]
}

/**
 * Rejects an invalid schema or invalid origins, which the schema of the contract does not detect.
 *
 * @throws VALIDATION_FAILED with every problem, RATE_LIMITED
 */
export async function checkInput(deps: SchemaDeps, owner: string, input: Input): Promise<void> {
  const problems = await findInputProblems(deps, owner, input)
  if (problems.length > 0) throw invalid(problems)
}

/**
 * Returns the problems with a schema or origins. `at` is their place in the body, and `owner` is the project that they
 * belong to.
 */
export const findInputProblems = async (
  { schemas }: SchemaDeps,
  owner: string,
  { schema, acceptedOrigins = [] }: Input,
  at = '',
): Promise<ProblemDetail[]> => [
  ...acceptedOrigins.flatMap((origin, i) =>
    isOrigin(origin)
      ? []
      : [
          {
            path: `${at}/acceptedOrigins/${i}`,
            message: 'must be an origin, like https://site.example',
            code: 'ORIGIN',
          },
        ],
  ),
  ...(schema ? await schemas.check(owner, schema) : []).map((problem) => ({
    ...problem,
    path: `${at}/schema${problem.path}`,
  })),
]

/**
 * Returns true for an origin as browsers write it (RFC 6454 §6.1), because it is compared character by character with
 * those of submissions. The host has letters, digits, dots, and hyphens, or is an IPv6 address. `*` is not a wildcard.
 */
function isOrigin(text: string): boolean {
  const url = parseUrl(text)
  return url !== undefined && written.test(text) && url.origin === text
}

const written = /^https?:\/\/([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d+)?$/
