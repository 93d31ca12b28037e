import { refusedLogins } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { listRefusedLogins } from './list-refused-logins.ts'

/** Registers the endpoint that lists refused sign-ins to administrators and owners. */
export const refusedLoginRoutes = ({ route }: Router<Callers>, deps: Deps) =>
  route(refusedLogins.listRefusedLogins, ({ caller, query }) => listRefusedLogins(deps, caller, query))
