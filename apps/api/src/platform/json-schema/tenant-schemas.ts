import type { ProblemDetail } from '@rolecall/contract'
import { ApiError } from '../http/api-error.ts'
import { onEventLoop } from './allowance.ts'
import { type Compiled, compileSchema } from './compile-schema.ts'
import { limits } from './limits.ts'
import { TooCostly } from './run.ts'
import type { SchemaJob } from './schema-jobs.ts'
import { tooCostly, validateWithin } from './validate-value.ts'
import { createWorkerPool, JobTooLarge, PoolBusy } from './worker-pool.ts'

export interface TenantSchema {
  /** Everything that is wrong with a payload: its text, and the value that was parsed of it. */
  readonly validate: (value: unknown, text: string) => ProblemDetail[] | Promise<ProblemDetail[]>
}

/** Schemas of tenants. What may take long of them happens in a worker, and takes its limits there. */
export interface TenantSchemas {
  /**
   * Everything that is wrong with a schema that somebody wants to store.
   * @throws RATE_LIMITED
   */
  readonly check: (owner: string, schema: unknown) => Promise<ProblemDetail[]>
  /**
   * A schema that was stored, also under other limits than those of today.
   * @throws RATE_LIMITED
   */
  readonly open: (owner: string, schema: unknown) => Promise<TenantSchema>
}

/** Far above what the costliest schema and payload within the limits take, also on a machine that is busy. */
const jobMs = 2_000
const memoryMb = 64

// Threads run compiled JavaScript, also where this is run from its sources.
const schemaWorker = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../dist/platform/json-schema/schema-worker.js'
    : './schema-worker.js',
  import.meta.url,
)

export function createTenantSchemas(): TenantSchemas {
  const pool = createWorkerPool<SchemaJob, ProblemDetail[]>({
    module: schemaWorker,
    threads: 2,
    maxWaiting: 64,
    maxWaitingOfOwner: 8,
    jobMs,
    memoryMb,
  })
  const run = async (owner: string, job: SchemaJob, tooLarge: ProblemDetail[]) => {
    try {
      return await pool.run(owner, job)
    } catch (error) {
      if (error instanceof JobTooLarge) return tooLarge
      if (!(error instanceof PoolBusy)) throw error
      throw new ApiError('RATE_LIMITED', {
        detail: 'Too many costly schemas are being worked on.',
        headers: { 'retry-after': '1' },
      })
    }
  }

  const open = async (owner: string, value: unknown): Promise<TenantSchema> => {
    const schema = JSON.stringify(value)
    const inWorker = (text: string) =>
      run(owner, { kind: 'validate', owner, schema, payload: text }, tooCostly)
    const compiled = compileHere(value)
    if (compiled && 'root' in compiled) {
      const { root } = compiled
      return { validate: (given, text) => validateWithin(limits.workOnLoop, root, given) ?? inWorker(text) }
    }
    const problems = await run(owner, { kind: 'load', owner, schema }, tooLargeSchema)
    // What does not even compile in its limits is not tried with every payload again.
    if (problems === tooLargeSchema) return { validate: () => tooCostly }
    if (problems.length > 0) throw new Error('A stored schema does not compile.')
    return { validate: (_, text) => inWorker(text) }
  }

  return {
    async check(owner, schema) {
      const compiled = compileHere(schema)
      if (!compiled) return run(owner, { kind: 'check', schema: JSON.stringify(schema) }, tooLargeSchema)
      return 'problems' in compiled ? compiled.problems : []
    },
    open,
  }
}

const tooLargeSchema: ProblemDetail[] = [
  { path: '', message: 'takes more time or memory to compile than a schema may', code: 'SCHEMA' },
]

/** Compiles a schema on the event loop, or returns undefined where that may take long. */
function compileHere(schema: unknown): Compiled | undefined {
  try {
    return compileSchema(schema, onEventLoop)
  } catch (error) {
    if (error instanceof TooCostly) return undefined
    throw error
  }
}
