import { writeFileSync } from 'node:fs'

/** The input of a peer from its environment: the port, the number of sessions, and the file for their credentials. */
export const port = Number(process.env['PORT'])
export const sessions = Number(process.env['SESSIONS'] ?? 10_000)
export const databaseUrl = process.env['DATABASE_URL'] ?? ''
export const redisUrl = process.env['REDIS_URL'] ?? ''

/** Writes one line per session, with the credentials of its requests. The load generator reads them. */
export const writeCredentials = (lines: readonly string[]) =>
  writeFileSync(process.env['CREDENTIALS'] ?? '', lines.join('\n'))

/** Returns a member for the sessions of the peers. It has about as many bytes as a response of validate. */
export const profileOf = (i: number) => ({
  memberId: String(480_844_663_499_128_837n + BigInt(i) * 4_194_304n),
  username: `member.${i}`,
  displayName: `Member ${i}`,
  avatar: 'https://cdn.discordapp.com/avatars/480844663499128837/9f3c7a519f3c7a519f3c7a519f3c7a53.png',
  roles: Array.from({ length: 3 }, (_, role) => ({
    roleId: String(1_100_093_797_636_898_817n + BigInt(role)),
    roleName: `Role ${role}`,
    color: role * 1_000,
    position: role,
  })),
})
