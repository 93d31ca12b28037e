import type { logoutDeliveries } from '@rolecall/contract'
import { toDeliveryState } from '../../delivery-state.ts'
import type { LogoutDeliveryRow } from './log-store.ts'

/** A logout and what became of telling it, as admins see it. */
export const toLogoutDelivery = (row: LogoutDeliveryRow): logoutDeliveries.LogoutDelivery => ({
  id: row.id,
  projectId: row.projectId,
  sessionId: row.sessionId,
  memberId: row.memberId,
  uri: row.uri,
  ...toDeliveryState(row),
})
