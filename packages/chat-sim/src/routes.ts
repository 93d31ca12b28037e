import { avatar, defaultAvatar, guildAvatar, guildIcon } from './cdn/images.ts'
import type { Route } from './http/route.ts'
import { authorizeDecision, authorizeScreen } from './oauth2/authorize.ts'
import { login } from './oauth2/login.ts'
import { token } from './oauth2/token.ts'
import { styleSheet } from './pages/assets.ts'
import { application } from './rest/application.ts'
import { gatewayBot } from './rest/gateway.ts'
import { guild } from './rest/guild.ts'
import { member, members } from './rest/guild-member.ts'
import { me, myGuilds, user } from './rest/user.ts'
import { webhook } from './rest/webhook.ts'

/** All routes of the simulated platform. */
export const routes: readonly Route[] = [
  ...[authorizeScreen, authorizeDecision, login, token],
  ...[me, myGuilds, user, application],
  ...[guild, member, members],
  ...[gatewayBot, webhook],
  ...[avatar, defaultAvatar, guildIcon, guildAvatar, styleSheet],
]
