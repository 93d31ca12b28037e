import { notifications } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { by, type Callers } from '../callers.ts'
import { listDeliveries } from './list-deliveries.ts'
import { resendDelivery } from './resend.ts'

export function notificationRoutes(
  { route }: Router<Callers>,
  deps: Pick<Deps, 'db' | 'audit' | 'notifications'>,
) {
  route(notifications.listDeliveries, ({ params, query }) => listDeliveries(deps, params.id, query))
  route(notifications.resendDelivery, (request) => {
    const { id: projectId, deliveryId } = request.params
    return resendDelivery(deps, by(request), { projectId, deliveryId })
  })
}
