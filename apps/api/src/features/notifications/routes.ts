import { notifications } from '@rolecall/contract'
import { listLog, resend } from '#deliveries/delivery-log'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { noticeLog } from './notice-log.ts'

/** Registers the endpoints for the log of notices. */
export function notificationRoutes({ route }: Router<Callers>, deps: Pick<Deps, 'db' | 'audit'>) {
  route(notifications.listDeliveries, ({ params, query }) => listLog(deps, noticeLog, params.id, query))
  route(notifications.resendDelivery, (request) => {
    const { id: projectId, deliveryId } = request.params
    return resend(deps, noticeLog, by(request), { projectId, id: deliveryId })
  })
}
