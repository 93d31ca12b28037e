import type { Service } from './service.ts'

/**
 * Runs something at another time of the database, which is the only clock that decides anything, and then puts the
 * clock right again.
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
  // An instance reckons on from the time that it last read.
  await answers.confirm()
}
