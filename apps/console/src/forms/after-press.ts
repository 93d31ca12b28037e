let isPressed = false
const follow = ({ type }: Event) => {
  isPressed = type === 'pointerdown'
}
for (const type of ['pointerdown', 'pointerup', 'pointercancel']) addEventListener(type, follow, true)

/**
 * Runs `show` after the current press of a mouse button or a finger, or at once if there is none. What appears during a
 * press moves the target, and the click misses it.
 */
export function afterPress(show: () => void): void {
  // The click follows the end of the press in the same task.
  if (isPressed) addEventListener('pointerup', () => setTimeout(show), { once: true })
  else show()
}
