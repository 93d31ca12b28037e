import type { MemberSync } from '@rolecall/sdk/admin'
import { numberText } from '../../components/number.tsx'

/** Returns the state of reading a server's members, as a word and a color. */
export function syncStateOf(sync: MemberSync | null): {
  tone: 'good' | 'warn' | 'bad' | 'none'
  text: string
} {
  if (!sync) return { tone: 'none', text: 'Never' }
  if (sync.status === 'running') return { tone: 'warn', text: `Reading: ${numberText(sync.seen)}` }
  return sync.status === 'failed' ? { tone: 'bad', text: 'Failed' } : { tone: 'good', text: 'Read' }
}
