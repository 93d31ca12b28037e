import type { settings } from '@rolecall/contract'
import type { Deps } from '../../deps.ts'
import { defaultOf, isGiven, isWithin, registry, type Setting } from './registry.ts'
import { settingsTarget } from './settings-target.ts'
import { listLastChanges } from './store.ts'

type Source = settings.SettingSource

/** Returns where the value of each setting comes from, and the setting's last change, by its path. */
export async function readSources({
  config,
  db,
  settings: live,
}: Pick<Deps, 'config' | 'db' | 'settings'>): Promise<{ sources: Record<string, Source> }> {
  const [{ overrides }, changes] = await Promise.all([live.refresh(), listLastChanges(db, settingsTarget.id)])
  const changeOf = new Map(changes.map(({ path, ...change }) => [path, change]))
  const sources = registry.map((setting): [string, Source] => {
    const { changedAt = null, changedBy = null } = changeOf.get(setting.path) ?? {}
    const found = sourceOf(config, setting, overrides[setting.path])
    return [setting.path, { ...found, changedAt: changedAt?.toISOString() ?? null, changedBy }]
  })
  return { sources: Object.fromEntries(sources) }
}

function sourceOf(
  config: Deps['config'],
  setting: Setting,
  stored: number | undefined,
): Pick<Source, 'source' | 'configured' | 'ignored'> {
  const source = isGiven(config, setting) ? 'environment' : 'default'
  if (!('editable' in setting.row)) return { source, configured: null, ignored: null }
  const configured = Number(defaultOf(config, setting))
  if (isWithin(setting, stored)) return { source: 'stored', configured, ignored: null }
  // A stored value that is not in force is reported as ignored. It may not even be a number, if the row was edited by
  // hand.
  return { source, configured, ignored: typeof stored === 'number' ? stored : null }
}
