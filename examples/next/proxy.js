import { rolecall } from './lib/rolecall'

export const proxy = rolecall.proxy
export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] }
