import type { ChatGatewayTiming } from '#chat/chat-gateway'
import type { Deps } from '../../deps.ts'
import { syncServer, writeServer } from '../rest/sync-server.ts'
import { createLiveMirror, type LiveMirrorTiming } from './live-mirror.ts'
import type { LiveMirror } from './status.ts'
import { askPatiently } from '../rest/ask-patiently.ts'
import { endMemberships } from '../end-memberships.ts'
import { syncMembers } from '../rest/sync-members.ts'

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
      endMemberships,
      record: deps.audit.record,
      readRoles: (serverId) => syncServer(deps, serverId),
      readServer: async (serverId, signal) => {
        const beat = async () => signal.throwIfAborted()
        const ask = <T>(question: () => Promise<T>) => askPatiently(question, { beforeWait: beat, signal })
        const counts = { seen: 0, changed: 0, ended: 0 }
        await ask(() => syncServer(deps, serverId))
        // Always from the start: what changed before this session began may have been told to nobody.
        const place = { after: '0', suspects: [] }
        await syncMembers(deps, { serverId, counts, place, beat, ask })
      },
    },
    timing.mirror,
  )
