import type { logoutDeliveries } from '@rolecall/contract'
import type { By } from '#audit/event'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../../deps.ts'
import { findClientToTell, findLogout, requeueLogout } from './log-store.ts'
import { toLogoutDelivery } from './logout-delivery.ts'

/** Tells a client of a logout again, at the address that it has now. One that still waits is left as it is. */
export async function resendLogout(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  { projectId, deliveryId }: { projectId: string; deliveryId: string },
): Promise<logoutDeliveries.LogoutDelivery> {
  return db.transaction(async (tx) => {
    const client = await findClientToTell(tx, projectId)
    if (!client) throw new ApiError('PROJECT_NOT_FOUND')
    const before = await findLogout(tx, projectId, deliveryId)
    if (!before) throw new ApiError('DELIVERY_NOT_FOUND')
    if (client.uri === null) throw new ApiError('LOGOUT_URI_MISSING')
    if ((await requeueLogout(tx, deliveryId, client.uri)) === 0) return toLogoutDelivery(before)
    await audit.record(tx, {
      ...by,
      actionType: 'webhook',
      action: 'oidc-logout.resend',
      target: { type: 'project', id: client.id, name: client.name },
      summary: `Logout ${deliveryId} of ${client.name} is told again.`,
    })
    return toLogoutDelivery((await findLogout(tx, projectId, deliveryId)) ?? before)
  })
}
