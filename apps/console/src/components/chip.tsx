import { roleColors } from './role-color.ts'

interface RoleChipProps {
  readonly name: string
  readonly color: number | null
}

/** A role in its color. The name is always shown, because not all readers can tell colors apart. */
export const RoleChip = ({ name, color }: RoleChipProps) => (
  <span className="chip" style={roleColors(color)} title={name}>
    <bdi>{name}</bdi>
  </span>
)

/** Shows a property in one word, such as a scope or a kind. */
export const Chip = ({ children, title }: { children: string; title?: string }) => (
  <span className="chip" title={title}>
    {children}
  </span>
)

/** Shows a status as a word in a color. */
export const Status = ({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'none'; children: string }) => (
  <span className="status" data-tone={tone}>
    {children}
  </span>
)
