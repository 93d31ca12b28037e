import type { settings } from '@rolecall/contract'
import type { Deps } from '../../deps.ts'
import { defaultOf, isGiven, isWithin, registry, type Setting } from './registry.ts'
import { settingsTarget } from './settings-target.ts'
import { listLastChanges } from './store.ts'

type Source = settings.SettingSource

/** Returns the source of each setting's value, by its path, and its last change. */
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
  // The column can contain any value after a manual edit. A value that is not a number is ignored.
  return { source, configured, ignored: typeof stored === 'number' ? stored : null }
}
