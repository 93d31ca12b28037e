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
 * Checks the JSON Schema and the origins of a webhook. The contract's validation covers only the other fields. `owner`
 * is the project that the check of the schema counts toward.
 *
 * @throws VALIDATION_FAILED with every problem, RATE_LIMITED
 */
export async function checkInput(deps: SchemaDeps, owner: string, input: Input): Promise<void> {
  const problems = await findInputProblems(deps, owner, input)
  if (problems.length > 0) throw invalid(problems)
}

/**
 * Returns the problems of a schema or origins. `at` is the JSON Pointer of the object that contains them, and `owner`
 * the project that the check of the schema counts toward.
 *
 * @throws RATE_LIMITED
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
 * Returns true for an origin in the form that browsers send (RFC 6454 §6.1). Only this form can match, because the
 * header `Origin` of a submission is compared character by character. The host is an IPv6 address, or has lowercase
 * letters, digits, dots, hyphens, and underscores. `*` is not a wildcard.
 */
function isOrigin(text: string): boolean {
  const url = parseUrl(text)
  return url !== undefined && written.test(text) && url.origin === text
}

const written = /^https?:\/\/([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d+)?$/
