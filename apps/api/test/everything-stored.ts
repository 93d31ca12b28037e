import type { Database } from '../src/platform/db/database.ts'

/** The tables that the service also writes independently of requests. */
const ownBusiness = ['answer_leases', 'instances', 'usage_minutes', 'auth_failures']
/** The columns that the service writes a second after the request. */
const countedLate = ['last_used_at', 'uses']

/** Returns a digest of each table, so that a test can prove that nothing was stored. */
export async function everythingStored(db: Database): Promise<Record<string, string>> {
  const ask = <Row>(text: string, values: unknown[] = []) => db.query<Row>({ text, values })
  const tables = await ask<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of tables.filter((table) => !ownBusiness.includes(table.name))) {
    const [row] = await ask<{ digest: string }>(
      `select md5(coalesce(string_agg(line, ' ' order by line), '')) as digest
      from (select (to_jsonb(t) - $1::text[])::text as line from ${name} t) lines`,
      [countedLate],
    )
    digests[name] = row?.digest ?? ''
  }
  return digests
}
