import { createRolecall } from '@rolecall/sdk/sveltekit'
import { error, redirect } from '@sveltejs/kit'
import { env } from '$env/dynamic/private'

export const rolecall = createRolecall(
  { error, redirect },
  {
    url: env.ROLECALL_URL,
    apiKey: env.ROLECALL_API_KEY,
    clientId: env.ROLECALL_CLIENT_ID,
    serverId: env.ROLECALL_SERVER_ID,
    appUrl: env.ROLECALL_APP_URL,
    secret: env.ROLECALL_SECRET,
  },
)
