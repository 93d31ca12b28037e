import { onEventLoop } from '../json-schema/allowance.ts'
import { type Compiled, compileSchema } from '../json-schema/compile-schema.ts'
import { limits } from '../json-schema/limits.ts'
import type { SchemaProblem } from '../json-schema/problem.ts'
import { TooCostly } from '../json-schema/run.ts'
import { tooCostly, validateWithin } from '../json-schema/validate-value.ts'
import type { SchemaJob } from './schema-jobs.ts'
import { createWorkerPool, JobTooLarge, PoolBusy } from './worker-pool.ts'

/** A stored schema that was opened to validate payloads. */
export interface TenantSchema {
  /** Returns the problems of a payload. Pass it as a parsed value, and as the text from which it was parsed. */
  readonly validate: (value: unknown, text: string) => SchemaProblem[] | Promise<SchemaProblem[]>
}

/** Checks and opens schemas of tenants. Expensive work runs in a worker thread with limits for time and memory. */
export interface TenantSchemas {
  /**
   * Returns the problems of a new schema.
   * @throws the error of `refuseBusy`
   */
  readonly check: (owner: string, schema: unknown) => Promise<SchemaProblem[]>
  /**
   * Opens a stored schema, even one that exceeds the current limits.
   * @throws the error of `refuseBusy`
   */
  readonly open: (owner: string, schema: unknown) => Promise<TenantSchema>
}

/**
 * The maximum time of a job in milliseconds. The most expensive schema and payload within the limits take far less,
 * even on a busy machine.
 */
const jobMs = 2_000
const memoryMb = 64

// Worker threads need compiled JavaScript, even if this module runs from its TypeScript source.
const schemaWorker = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/workers/schema-worker.js' : './schema-worker.js',
  import.meta.url,
)

/**
 * Creates the checker of schemas that projects write, with its own worker threads.
 *
 * @param refuseBusy creates the error for a job if too many jobs wait. The caller chooses it, so that this package does
 * not depend on HTTP.
 */
export function createTenantSchemas(refuseBusy: () => Error): TenantSchemas {
  const pool = createWorkerPool<SchemaJob, SchemaProblem[]>({
    module: schemaWorker,
    threads: 2,
    maxWaiting: 64,
    maxWaitingOfOwner: 8,
    jobMs,
    memoryMb,
  })
  const run = async (owner: string, job: SchemaJob, tooLarge: SchemaProblem[]) => {
    try {
      return await pool.run(owner, job)
    } catch (error) {
      if (error instanceof JobTooLarge) return tooLarge
      if (!(error instanceof PoolBusy)) throw error
      throw refuseBusy()
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
    // If compiling the schema exceeds the limits of a thread, every payload is rejected without another attempt.
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

const tooLargeSchema: SchemaProblem[] = [
  { path: '', message: 'takes too much time or memory to compile', code: 'SCHEMA' },
]

/** Compiles a schema on the event loop. Returns undefined if that could take long. */
function compileHere(schema: unknown): Compiled | undefined {
  try {
    return compileSchema(schema, onEventLoop)
  } catch (error) {
    if (error instanceof TooCostly) return undefined
    throw error
  }
}
