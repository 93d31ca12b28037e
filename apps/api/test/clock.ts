import type { Service } from './service.ts'

/**
 * Runs a function at a later time of the database, and then resets its clock. Only the clock of the database decides
 * whether something has expired.
 */
export async function later<T>({ deps }: Pick<Service, 'deps'>, seconds: number, run: () => Promise<T>) {
  await setClock(deps, `now() + interval '${seconds} seconds'`)
  try {
    return await run()
  } finally {
    await setClock(deps, 'now()')
  }
}

async function setClock({ db, answers }: Service['deps'], expression: string) {
  await db.script(`create or replace function clock_now() returns timestamptz
    language sql stable parallel safe as $$ select date_trunc('milliseconds', ${expression}) $$`)
  // Reads the clock again, because an instance computes the time from its last read.
  await answers.confirm()
}
