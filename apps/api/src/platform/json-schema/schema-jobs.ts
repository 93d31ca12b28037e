import type { ProblemDetail } from '@rolecall/contract'
import { parseExactly } from '../json/parse-exactly.ts'
import { type Allowance, newSchema, storedSchema } from './allowance.ts'
import { type Compiled, compileSchema } from './compile-schema.ts'
import { validateValue } from './validate-value.ts'

/** What a worker is asked: what is wrong with a schema, or with a payload. Both are JSON texts. */
export type SchemaJob =
  | { readonly kind: 'check'; readonly schema: string }
  | { readonly kind: 'load'; readonly schema: string }
  | { readonly kind: 'validate'; readonly schema: string; readonly payload: string }

/** Compiled schemas that a worker keeps: few, as each may be large. */
const mostKept = 4

const kept = new Map<string, Compiled>()

/** Everything that is wrong. `check` holds a schema against the limits of today, `load` takes what was stored. */
export function perform(job: SchemaJob): ProblemDetail[] {
  if (job.kind === 'check') return problemsOf(compile(job.schema, newSchema))
  const compiled = kept.get(job.schema) ?? compile(job.schema, storedSchema)
  kept.delete(job.schema)
  kept.set(job.schema, compiled)
  for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest)
  if (job.kind === 'load' || 'problems' in compiled) return problemsOf(compiled)
  return validateValue(compiled.root, parseExactly(job.payload))
}

const compile = (schema: string, allowance: Allowance) => compileSchema(parseExactly(schema), allowance)

const problemsOf = (compiled: Compiled): ProblemDetail[] => ('problems' in compiled ? compiled.problems : [])
