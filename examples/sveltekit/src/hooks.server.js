import { rolecall } from '$lib/server/rolecall'

export const handle = rolecall.handle
