import { type Static, Type } from 'typebox'
import { type ErrorDefinition, errors } from './errors.ts'

/** One problem of a request: its place (a JSON Pointer into a part of the request), its description, and a code. */
export const ProblemDetail = Type.Object({
  path: Type.String({ description: 'JSON Pointer into the body, or into the query or path parameters.' }),
  message: Type.String(),
  code: Type.String(),
})

/** The number of further problems, which the response does not list. */
export const MoreProblems = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'The number of problems that `errors` does not contain. Absent if `errors` contains all of them. A check ' +
      'stops after 1,000 problems, or 128 KiB of them.',
  }),
)

const rows: [string, ErrorDefinition][] = Object.entries(errors)
const codes = [...new Set(rows.map(([name, { code = name }]) => code))]

/** RFC 9457 problem details: the body of every refusal, as `application/problem+json`. */
export const Problem = Type.Object({
  type: Type.String({
    description: 'The URL of the entry of this error in the documentation of the service.',
  }),
  title: Type.String({
    description: 'The problem in one sentence, which is the same for every error with this code.',
  }),
  status: Type.Integer({ description: 'The HTTP status, as in the status line.' }),
  detail: Type.String({
    description: 'What happened in this case, if known, and the fix.',
  }),
  code: Type.Unsafe<string>({
    type: 'string',
    enum: codes,
    description: 'The name of the error. Stable: check it in your program, not `title` or `detail`.',
  }),
  requestId: Type.String({ description: 'The same as in the header `X-Request-Id`.' }),
  errors: Type.Optional(
    Type.Array(ProblemDetail, {
      description: 'All problems of the request, or the first ones that fit into 64 KiB.',
    }),
  ),
  more: MoreProblems,
})

export type ProblemDetail = Static<typeof ProblemDetail>
export type Problem = Static<typeof Problem>
