import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

// The deletions of `eraseSessions`, one for each table with data about a member's sessions.

export const deleteCodes = (tx: Tx, memberId: string) =>
  tx.execute(sql`delete from authorization_codes where member_id = ${memberId}`)

export const deleteSessions = (tx: Tx, memberId: string) =>
  tx.execute(sql`delete from sessions where member_id = ${memberId}`)

export const deleteLogoutMarks = (tx: Tx, memberId: string) =>
  tx.execute(sql`delete from project_logouts where member_id = ${memberId}`)

export const deleteActivity = (tx: Tx, memberId: string) =>
  tx.execute(sql`delete from member_activity where member_id = ${memberId}`)
