import type { Deps } from '../../deps.ts'

export async function readMembers(
  { chat, mirrorMember }: Pick<Deps, 'chat' | 'mirrorMember'>,
  serverId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let after = '0'; !signal.aborted; ) {
    const page = await chat.members(serverId, after, 1_000)
    for (const member of page) await mirrorMember(serverId, member.user, member)
    const last = page.at(-1)
    if (page.length < 1_000 || !last) return
    after = last.user.id
  }
}
