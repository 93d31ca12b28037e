import { settings } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { readSettings } from './read-settings.ts'
import { readSources } from './read-sources.ts'
import { resetSettings, updateSettings } from './write-settings.ts'

/** Registers the endpoints that System Admins use to read and change the settings. */
export function settingsRoutes({ route }: Router<Callers>, deps: Deps) {
  route(settings.getSettings, () => readSettings(deps))
  route(settings.getSettingSources, () => readSources(deps))
  route(settings.updateSettings, async (request) => {
    await updateSettings(deps, by(request), request.body)
    return readSettings(deps)
  })
  route(settings.resetSettings, async (request) => {
    await resetSettings(deps, by(request))
    return readSettings(deps)
  })
}
