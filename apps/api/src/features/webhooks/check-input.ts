import type { ProblemDetail } from '@rolecall/contract'
import { invalid } from '#platform/http/router'
import { compileSchema } from '#platform/json-schema/compile-schema'

interface Input {
  readonly schema?: Record<string, unknown>
  readonly acceptedOrigins?: readonly string[]
}

/**
 * Refuses a schema or origins that the contract's own schema lets through. `at` is where they stand in the
 * body.
 * @throws VALIDATION_FAILED naming every place
 */
export function checkInput({ schema, acceptedOrigins = [] }: Input, at = ''): void {
  const problems = acceptedOrigins.flatMap((origin, i) =>
    isOrigin(origin)
      ? []
      : [
          {
            path: `${at}/acceptedOrigins/${i}`,
            message: 'must be an origin, like https://site.example',
            code: 'ORIGIN',
          },
        ],
  )
  if (schema) problems.push(...problemsOf(schema, `${at}/schema`))
  if (problems.length > 0) throw invalid(problems)
}

/** As browsers write one (RFC 6454 §6.1): submissions are compared with it character by character. */
const isOrigin = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text

function problemsOf(schema: Record<string, unknown>, at: string): ProblemDetail[] {
  const compiled = compileSchema(schema)
  return 'problems' in compiled
    ? compiled.problems.map((problem) => ({ ...problem, path: at + problem.path }))
    : []
}
