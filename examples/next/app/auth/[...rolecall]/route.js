import { rolecall } from '../../../lib/rolecall'

export const { GET, POST } = rolecall.handlers
