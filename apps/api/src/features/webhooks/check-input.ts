import type { ProblemDetail } from '@rolecall/contract'
import { invalid } from '#platform/http/check-request'
import { compileSchema } from '#platform/json-schema/compile-schema'

interface Input {
  readonly schema?: Record<string, unknown>
  readonly acceptedOrigins?: readonly string[]
}

/**
 * Refuses a schema or origins that the contract's own schema lets through.
 * @throws VALIDATION_FAILED naming every place
 */
export function checkInput(input: Input): void {
  const problems = complaintsAboutInput(input)
  if (problems.length > 0) throw invalid(problems)
}

/** What is wrong with a schema or origins; `at` is where they stand in the body. */
export const complaintsAboutInput = ({ schema, acceptedOrigins = [] }: Input, at = ''): ProblemDetail[] => [
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
  ...(schema ? problemsOf(schema, `${at}/schema`) : []),
]

/** As browsers write one (RFC 6454 §6.1): submissions are compared with it character by character. */
const isOrigin = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text

function problemsOf(schema: Record<string, unknown>, at: string): ProblemDetail[] {
  const compiled = compileSchema(schema)
  return 'problems' in compiled
    ? compiled.problems.map((problem) => ({ ...problem, path: at + problem.path }))
    : []
}
