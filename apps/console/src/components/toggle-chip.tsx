import { roleColors } from './role-color.ts'

interface RoleToggleProps {
  readonly name: string
  readonly color: number | null
  readonly isOn: boolean
  readonly onToggle: () => void
}

/** A role in its color that a click selects or deselects. */
export const RoleToggle = ({ name, color, isOn, onToggle }: RoleToggleProps) => (
  <button
    type="button"
    className="chip toggle"
    style={roleColors(color)}
    aria-pressed={isOn}
    onClick={onToggle}
  >
    <bdi>{name}</bdi>
  </button>
)
