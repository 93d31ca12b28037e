import { profile } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { type ProfileNeeds, readProfile, updatePreferredName } from './profile.ts'

/** Registers the endpoints of an administrator's own profile. */
export function profileRoutes({ route }: Router<Callers>, deps: Pick<Deps, 'db' | 'audit'> & ProfileNeeds) {
  route(profile.getProfile, ({ caller }) => readProfile(deps, caller))
  route(profile.updateProfile, async (request) => {
    const { preferredName } = request.body
    if (preferredName !== undefined) {
      await updatePreferredName(deps, by(request), request.caller, preferredName)
    }
    return readProfile(deps, request.caller)
  })
}
