import type { ChatGatewayTiming } from '#chat/chat-gateway'
import type { Deps } from './deps.ts'
import { syncServer, writeServer } from './features/chat-servers/sync-server.ts'
import {
  createLiveMirror,
  type LiveMirror,
  type LiveMirrorTiming,
} from './features/live-mirror/live-mirror.ts'
import { endMembership } from './features/members/end-membership.ts'
import { readMembers } from './features/members/read-members.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'chat' | 'audit' | 'mirrorMember'>

/** The live mirror, with what other features know how to write. Tests are shorter of patience. */
export const composeLiveMirror = (
  deps: Needs,
  timing: { mirror?: Partial<LiveMirrorTiming>; gateway?: Partial<ChatGatewayTiming> } = {},
): LiveMirror =>
  createLiveMirror(
    {
      db: deps.db,
      log: deps.log,
      gateway: deps.chat.gateway(timing.gateway),
      writeServer,
      endMembership: (tx, serverId, userId, isBan) =>
        endMembership(tx, deps.audit, { serverId, userId, isBan }),
      readServer: async (serverId, signal) => {
        await syncServer(deps, serverId)
        await readMembers(deps, serverId, signal)
      },
    },
    timing.mirror,
  )
