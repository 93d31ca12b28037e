import type { logoutDeliveries } from '@rolecall/contract'
import { type DeliveryLog, toDeliveryState } from '#deliveries/delivery-log'
import { findLogoutProject } from './clients-store.ts'

/** The list of logout tokens that were sent to the client of a project, and how to send one again. */
export const logoutLog: DeliveryLog<logoutDeliveries.LogoutDelivery> = {
  kind: 'logout',
  findProject: findLogoutProject,
  addressMissing: 'LOGOUT_URI_MISSING',
  keyOf: (id) => ({ id }),
  toItem: (row) => ({
    id: row.id,
    projectId: row.projectId,
    sessionId: String(row.data['sessionId']),
    memberId: row.memberId ?? '',
    uri: String(row.data['uri']),
    ...toDeliveryState(row),
  }),
  resent: (id, name) => ({ action: 'oidc-logout.resend', summary: `Logout ${id} of ${name} is sent again.` }),
}
