import { memberData } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps, OpenDownload } from '../../deps.ts'
import { type Erasers, eraseMember } from './erase-member.ts'
import { readMemberData } from './read-data.ts'

/** Registers the endpoints that administrators use to export and erase the data of a member. */
export function personalDataRoutes(
  { route }: Router<Callers>,
  deps: Deps,
  needs: Erasers & { readonly openDownload: OpenDownload },
) {
  route(memberData.getMemberData, (request) =>
    readMemberData({ ...deps, ...needs }, by(request), request.params.id),
  )
  route(memberData.eraseMember, (request) =>
    eraseMember({ ...deps, ...needs }, by(request), request.params.id),
  )
}
