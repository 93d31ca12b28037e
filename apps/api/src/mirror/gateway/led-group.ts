import type { ShardGroup } from '#chat/chat-gateway'
import { untilAborted } from '#platform/async'
import { ignoreOutage } from './ignore-outage.ts'
import { type Leader, type LeaderDeps, type LeaderTiming, startLeader } from './leader.ts'
import type { LiveMirrorStatus } from './status.ts'
import { giveUpLead, type TakenLead } from './store.ts'
import { createCandidate } from './take-lead.ts'

interface LedGroupOptions {
  readonly holder: string
  readonly group: ShardGroup
  readonly isAlone: boolean
  readonly timing: LeaderTiming
}

/** A group of shards that this instance may lead, with a gateway connection of its own. */
export function createLedGroup(deps: LeaderDeps, { holder, group, isAlone, timing }: LedGroupOptions) {
  const { db, log, gateway } = deps
  const take = createCandidate({ db, log, gateway }, { holder, group, isAlone })
  let leader: Leader | undefined
  let leading: Promise<void> | undefined
  let leaving = new AbortController()

  const lead = async (taken: TakenLead) => {
    const { epoch } = taken
    const about = group.count > 1 ? { epoch, group: group.index, of: group.count } : { epoch }
    log.info(about, 'this instance keeps the mirror live')
    leader = startLeader(deps, taken, timing)
    await Promise.race([leader.lost, untilAborted(leaving.signal)])
    try {
      await leader.close()
    } finally {
      leader = undefined
    }
    if (leaving.signal.aborted) await ignoreOutage(giveUpLead(db, taken))
    else log.warn(about, 'another instance keeps the mirror live now')
  }
  /** The mirror is kept live again, here or by another instance, once the lease has run out. */
  const noteFault = (error: unknown) =>
    log.error({ err: error }, 'the mirror was not kept live for a while because of a fault of ours')

  return {
    group,
    isLed: () => leading !== undefined,
    /** Leads in the background, if there is a lead to have. */
    async take(): Promise<void> {
      const taken = await take().catch(noteFault)
      if (!taken) return
      leaving = new AbortController()
      leading = lead(taken)
        .catch(noteFault)
        .finally(() => {
          leading = undefined
        })
    },
    /** Leaves the sessions to whoever takes it next. */
    async leave(): Promise<void> {
      leaving.abort()
      await leading
    },
    /** Undefined while it is not led here. */
    status(): LiveMirrorStatus | undefined {
      return (
        leader && {
          isLeader: true,
          gateway: gateway.status(),
          lastEventAt: leader.lastEventAt(),
          vouched: leader.vouched(),
          pending: leader.pending(),
          lagMs: Math.round(leader.lagMs()),
          samples: leader.samples(),
        }
      )
    },
  }
}

export type LedGroup = ReturnType<typeof createLedGroup>
