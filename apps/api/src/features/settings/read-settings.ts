import type { settings } from '@rolecall/contract'
import type { Deps } from '../../deps.ts'
import { defaultOf, effectiveValues, registry, type Setting } from './registry.ts'

type Groups = Record<string, Record<string, unknown>>

/** Returns all settings with their values in force, by group. For a secret, returns only whether it is set. */
export async function readSettings({
  config,
  settings,
}: Pick<Deps, 'config' | 'settings'>): Promise<settings.EffectiveSettings> {
  const { overrides, updatedAt, updatedBy } = await settings.refresh()
  const values = effectiveValues(config, overrides)
  const groups: Groups = {}
  for (const setting of registry) {
    groups[setting.group] = { ...groups[setting.group], [setting.key]: toDto(config, setting, values) }
  }
  return { ...groups, meta: { updatedAt, updatedBy } } as unknown as settings.EffectiveSettings
}

function toDto(config: Deps['config'], setting: Setting, values: Record<string, number>) {
  const isEditable = 'editable' in setting.row
  if (setting.row.kind === 'secret') return { editable: false, isSet: defaultOf(config, setting) }
  return { editable: isEditable, value: isEditable ? values[setting.path] : defaultOf(config, setting) }
}
