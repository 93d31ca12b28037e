import { parseExactly } from '../json/parse-exactly.ts'
import { type Allowance, newSchema, storedSchema } from '../json-schema/allowance.ts'
import { type Compiled, compileSchema } from '../json-schema/compile-schema.ts'
import type { SchemaProblem } from '../json-schema/problem.ts'
import { validateValue } from '../json-schema/validate-value.ts'
import { KeptSchemas } from './kept-schemas.ts'

/** A job of a worker: to find the problems of a schema, or of a payload. Both are JSON texts. */
export type SchemaJob =
  | { readonly kind: 'check'; readonly schema: string }
  | { readonly kind: 'load'; readonly owner: string; readonly schema: string }
  | {
      readonly kind: 'validate'
      readonly owner: string
      readonly schema: string
      readonly payload: string
    }

const kept = new KeptSchemas()

/** Runs a job. `check` applies the current limits to a new schema. `load` accepts a stored schema without them. */
export function perform(job: SchemaJob): SchemaProblem[] {
  if (job.kind === 'check') return problemsOf(compile(job.schema, newSchema))
  const compiled = kept.get(job.owner, job.schema) ?? compileStored(job.owner, job.schema)
  if (job.kind === 'load' || 'problems' in compiled) return problemsOf(compiled)
  return validateValue(compiled.root, parseExactly(job.payload))
}

function compileStored(owner: string, schema: string): Compiled {
  const compiled = compile(schema, storedSchema)
  kept.keep(owner, schema, compiled)
  return compiled
}

const compile = (schema: string, allowance: Allowance) => compileSchema(parseExactly(schema), allowance)

const problemsOf = (compiled: Compiled): SchemaProblem[] => ('problems' in compiled ? compiled.problems : [])
