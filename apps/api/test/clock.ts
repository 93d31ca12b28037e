import type { Service } from './service.ts'

/**
 * Runs something at another time of the database, which is the only clock that decides anything, and then
 * puts the clock right again.
 */
export async function later<T>(
  { deps: { db } }: Pick<Service, 'deps'>,
  seconds: number,
  run: () => Promise<T>,
) {
  await setClock(db, `now() + interval '${seconds} seconds'`)
  try {
    return await run()
  } finally {
    await setClock(db, 'now()')
  }
}

const setClock = (db: Service['deps']['db'], expression: string) =>
  db.script(`create or replace function clock_now() returns timestamptz
    language sql stable parallel safe as $$ select date_trunc('milliseconds', ${expression}) $$`)
