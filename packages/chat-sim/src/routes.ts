import { avatar, defaultAvatar, guildAvatar, guildIcon } from './cdn/images.ts'
import type { Route } from './http/route.ts'
import { oauthMe } from './oauth2/authorization.ts'
import { authorizeDecision, authorizeScreen } from './oauth2/authorize.ts'
import { jwks, userinfo } from './oauth2/id-token.ts'
import { login } from './oauth2/login.ts'
import { authorizationServer, openidConfiguration } from './oauth2/metadata.ts'
import { revoke } from './oauth2/revoke.ts'
import { token } from './oauth2/token.ts'
import { styleSheet } from './pages/assets.ts'
import { application } from './rest/application.ts'
import { gateway, gatewayBot } from './rest/gateway.ts'
import { guild, roles } from './rest/guild.ts'
import { ban, bans } from './rest/guild-ban.ts'
import { member, memberSearch, members } from './rest/guild-member.ts'
import { me, myGuilds, myMember, user } from './rest/user.ts'
import { webhook } from './rest/webhook.ts'

/** Everything that the platform answers. */
export const routes: readonly Route[] = [
  ...[authorizeScreen, authorizeDecision, login, token, revoke, oauthMe, userinfo, jwks],
  ...[authorizationServer, openidConfiguration],
  ...[me, myGuilds, myMember, user, application],
  ...[guild, roles, member, members, memberSearch, ban, bans],
  ...[gateway, gatewayBot, webhook],
  ...[avatar, defaultAvatar, guildIcon, guildAvatar, styleSheet],
]
