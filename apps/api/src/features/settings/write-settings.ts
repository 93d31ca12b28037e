import type { settings } from '@rolecall/contract'
import type { AuditEvent, By } from '#audit/event'
import type { Tx } from '#platform/db/database'
import type { Deps, StoredSettings } from '../../deps.ts'
import { effectiveValues } from './registry.ts'
import { settingsTarget } from './settings-target.ts'
import { lockOverrides, writeOverrides } from './store.ts'

type WriteDeps = Pick<Deps, 'config' | 'db' | 'audit' | 'settings'>
type Overrides = StoredSettings['overrides']

/** Changes settings, either all or none. Values that are in force already are not written. */
export const updateSettings = (deps: WriteDeps, by: By, patch: settings.UpdateSettings) =>
  write(deps, async (tx) => {
    const overrides = await lockOverrides(tx)
    const wanted = Object.entries(patch).flatMap(([group, values]) =>
      Object.entries(values).map(([key, value]) => [`${group}.${key}`, value] as const),
    )
    const changes = changesBetween(deps, overrides, { ...overrides, ...Object.fromEntries(wanted) })
    const paths = Object.keys(changes)
    if (paths.length === 0) return undefined
    const changed = wanted.filter(([path]) => paths.includes(path))
    const written = await writeOverrides(
      tx,
      { ...overrides, ...Object.fromEntries(changed) },
      by.actor?.id ?? null,
    )
    const summary = `Settings were changed: ${paths.join(', ')}.`
    await deps.audit.record(tx, { ...by, ...event, action: 'settings.update', summary, changes })
    return written
  })

/** Deletes all values that administrators have set, so that the values of the environment are in force again. */
export const resetSettings = (deps: WriteDeps, by: By) =>
  write(deps, async (tx) => {
    const overrides = await lockOverrides(tx)
    const paths = Object.keys(overrides)
    if (paths.length === 0) return undefined
    const written = await writeOverrides(tx, {}, by.actor?.id ?? null)
    const changes = changesBetween(deps, overrides, {})
    const summary = `Stored settings were cleared: ${paths.join(', ')}.`
    await deps.audit.record(tx, { ...by, ...event, action: 'settings.reset', summary, changes })
    return written
  })

/** The common part of the audit entries. */
const event = {
  actionType: 'permission',
  target: settingsTarget,
} as const satisfies Partial<AuditEvent>

/** Makes a change, and applies the written values on this instance before the response is sent. */
async function write(
  { db, settings }: WriteDeps,
  change: (tx: Tx) => Promise<StoredSettings | undefined>,
): Promise<void> {
  const written = await db.transaction(change)
  if (written) await settings.announce(written)
}

/** Returns the settings whose values in force differ. */
function changesBetween({ config }: WriteDeps, before: Overrides, after: Overrides) {
  const old = effectiveValues(config, before)
  return Object.fromEntries(
    Object.entries(effectiveValues(config, after))
      .filter(([path, value]) => value !== old[path])
      .map(([path, value]) => [path, { before: old[path], after: value }]),
  )
}
