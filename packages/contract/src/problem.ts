import { type Static, Type } from 'typebox'

/** One thing that is wrong with a request: where (JSON Pointer into its part), what, and a word for it. */
export const ProblemDetail = Type.Object({
  path: Type.String({ description: 'JSON Pointer into the body, or into the query or path parameters.' }),
  message: Type.String(),
  code: Type.String(),
})

/** RFC 9457 problem details: the body of every refusal, as `application/problem+json`. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(ProblemDetail)),
})

export type ProblemDetail = Static<typeof ProblemDetail>
export type Problem = Static<typeof Problem>
