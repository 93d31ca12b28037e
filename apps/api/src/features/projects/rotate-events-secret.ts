import type { eventDeliveries } from '@rolecall/contract'
import type { By } from '#audit/event'
import type { Deps } from '../../deps.ts'
import { changeProject } from './change-project.ts'
import { mintEventsSecret } from './events-address.ts'
import { storeNewSecret } from './events-address-store.ts'

/** The default grace period in seconds, in which a receiver can adopt the new secret. */
const defaultGraceSec = 24 * 60 * 60

/**
 * Creates a new signing secret for the events of a project. Returns the secret, which cannot be read again, and the
 * time at which the former one becomes invalid. The time is null if no former secret remains valid.
 *
 * @throws PROJECT_NOT_FOUND, ENCRYPTION_KEY_MISSING
 */
export const rotateEventsSecret = (
  deps: Pick<Deps, 'db' | 'audit' | 'config'>,
  by: By,
  id: string,
  { graceSec = defaultGraceSec }: eventDeliveries.RotateEventsSecret,
) =>
  changeProject(deps, id, async (tx, project, record) => {
    const { secret, secretSealed } = mintEventsSecret(deps.config, id)
    const stored = await storeNewSecret(tx, id, secretSealed, graceSec)
    const formerEndsAt = stored?.formerEndsAt?.toISOString() ?? null
    await record({
      ...by,
      action: 'events.rotate-secret',
      summary:
        `The signing secret of the events of ${project.name} was replaced` +
        `${formerEndsAt ? `. The former secret stays valid until ${formerEndsAt}` : ''}.`,
    })
    return { secret, formerEndsAt }
  })
