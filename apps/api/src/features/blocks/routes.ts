import { blocks } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { blockMember, type EndEverySession, unblockMember } from './block-member.ts'

/** Registers the endpoints that administrators use to block and unblock members. */
export function blockRoutes(
  { route }: Router<Callers>,
  deps: Deps,
  needs: { readonly endEverySession: EndEverySession },
) {
  route(blocks.blockMember, (request) =>
    blockMember({ ...deps, ...needs }, by(request), request.params.id, request.body),
  )
  route(blocks.unblockMember, (request) => unblockMember(deps, by(request), request.params.id))
}
