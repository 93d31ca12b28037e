import type { notifications } from '@rolecall/contract'
import type { AuditEvent } from '#audit/event'
import type { ChatPost, PostToWebhook } from '#chat/chat-webhook'
import type { Attempt, DeliveryKind, Ending, Message } from '#deliveries/kind'
import type { Deps } from '../../deps.ts'
import { headings } from './notice.ts'
import { type Channel, findChannel, removeAddress } from './store.ts'

/** The maximum pause that Discord can request. Messages are given up after a day anyway. */
const maxPauseMs = 24 * 60 * 60_000
/** The pause if Discord's network edge blocks this IP address without naming a duration. */
const blockedMs = 10_000

type NoticeKindDeps = Pick<Deps, 'db'> & {
  readonly post: PostToWebhook
  /** Decrypts the webhook address of a project, or returns the reason why nothing may be posted to it. */
  readonly readAddress: (projectId: string, sealed: Uint8Array) => { url: string } | { problem: string }
}

/** Delivers notices to the Discord channels of projects. The notices of each project are posted in order. */
export function createNoticeKind({ db, post, readAddress }: NoticeKindDeps): DeliveryKind {
  let silencedUntil = 0
  // A global limit applies to the IP address of this instance. Other instances may have another one, so it is not
  // shared.
  const noteLimit = ({ outcome, isGlobal, pauseMs = blockedMs }: ChatPost) => {
    if (outcome === 'limited' && isGlobal)
      silencedUntil = Math.max(silencedUntil, performance.now() + pauseMs)
  }
  return {
    name: 'notice',
    ordering: 'receiver',
    isSilenced: () => performance.now() < silencedUntil,
    async open(projectId) {
      const channel = await findChannel(db, projectId)
      if (!channel?.sealed) return { closed: 'The project no longer has a webhook.' }
      const { sealed } = channel
      // The address is checked again, because the encryption key or the permitted hosts may have changed.
      const address = readAddress(projectId, sealed)
      return {
        send: async (message, _, signal) => {
          if ('problem' in address) return { outcome: 'failed', status: null, error: address.problem }
          const posted = await post(address.url, toChatMessage(channel, message), signal)
          noteLimit(posted)
          return toAttempt(posted)
        },
        disable: async (tx) => (await removeAddress(tx, projectId, sealed)) > 0,
        entryOf: (ending) => entryOf(projectId, channel, ending),
      }
    },
  }
}

/** Builds the message. Its footer contains the ID of the notice, because a notice may be delivered twice. */
function toChatMessage({ projectName }: Channel, { id, type, data, at }: Message) {
  const { text } = JSON.parse(data) as { text: string }
  const heading = headings[type as notifications.NotificationType]
  return { ...heading, text, footer: `${projectName} · ${id}`, at: new Date(at) }
}

const toAttempt = ({ outcome, status, error, pauseMs }: ChatPost): Attempt => ({
  ...{ outcome: outcome === 'limited' ? 'failed' : outcome, status, error },
  pauseMs: pauseMs && Math.min(pauseMs, maxPauseMs),
})

/** Builds the audit entry for notices that are no longer sent, by the reason. */
function entryOf(
  projectId: string,
  { projectName, host }: Channel,
  { reason: why, count, error }: Ending,
): AuditEvent {
  const common = {
    actionType: 'webhook',
    target: { type: 'project', id: projectId, name: projectName },
  } as const
  if (why === 'gone')
    return {
      ...common,
      action: 'notification.disable',
      severity: 'warning',
      summary: `The webhook of ${projectName} no longer exists, so its address was removed. ${error}`,
      changes: { webhookUrl: { before: host, after: null } },
    }
  const notices = count === 1 ? 'A notice' : `${count} notices`
  const end = why === 'refused' ? 'was rejected and discarded' : 'could not be delivered for 24 hours'
  return {
    ...common,
    action: 'notification.give-up',
    severity: 'error',
    summary: `${notices} of ${projectName} ${end}. ${error}`,
  }
}
