import type { ChatPost, PostToWebhook } from '#chat/chat-webhook'
import { persistently } from '#platform/queue-workers'
import type { Deps } from '../../deps.ts'
import { headings } from './notice.ts'
import { dropWaiting, type Held, type NextMessage, releaseQueue, takeNext } from './queue-store.ts'
import { settle } from './settle.ts'

/** Messages before the queue goes to the end of the line: others want to be heard too. */
const maxInARow = 20

/** The address as it was sealed for a project, or why nothing may be posted to it now. */
export type ReadAddress = (projectId: string, sealed: Uint8Array) => { url: string } | { problem: string }

export type DeliverDeps = Pick<Deps, 'db' | 'audit'> & {
  readonly post: PostToWebhook
  readonly readAddress: ReadAddress
  /** Called with what the platform answered, before it is written down. */
  readonly answered: (post: ChatPost) => void
  /** False while nobody may be asked. */
  readonly mayAsk: () => boolean
}

/** Posts the messages of one queue, one after another, until there is none, a pause is due, or `signal` says stop. */
export async function deliverQueue(deps: DeliverDeps, held: Held, signal: AbortSignal): Promise<void> {
  for (let count = 0; count < maxInARow && !signal.aborted && deps.mayAsk(); count++) {
    const message = await takeNext(deps.db, held)
    if (!message) break
    if (!(await deliver(deps, held, message, signal))) break
  }
  await releaseQueue(deps.db, held)
}

/** True when the next message may follow at once. */
async function deliver(deps: DeliverDeps, held: Held, message: NextMessage, signal: AbortSignal) {
  const { sealed } = message
  if (!sealed) {
    await dropWaiting(deps.db, held.projectId, 'The project has no webhook any more.')
    return true
  }
  const post = await postTo(deps, held, { ...message, sealed }, signal)
  if (post.outcome === 'aborted') return false
  deps.answered(post)
  return persistently(() => settle(deps, held, message, post))
}

async function postTo(
  { post, readAddress }: DeliverDeps,
  { projectId }: Held,
  { sealed, id, type, text, createdAt, projectName }: NextMessage & { sealed: Uint8Array },
  signal: AbortSignal,
): Promise<ChatPost> {
  // The key or the platform's hosts may be others than when the address was written.
  const address = readAddress(projectId, sealed)
  if ('problem' in address) return { outcome: 'failed', status: null, error: address.problem }
  // Delivery is at least once: the id tells a message that came twice.
  const footer = `${projectName} · ${id}`
  return post(address.url, { ...headings[type], text, footer, at: createdAt }, signal)
}
