import { contrast, type Rgb } from '@rolecall/contract'

/** The background of chips in the light and the dark color scheme. Equal to `--raised` in the styles. */
const surfaces = { light: [255, 255, 255], dark: [23, 26, 32] } as const

/**
 * Returns the colors of a role on the console's background, each with a contrast of 4.5:1 or more. Undefined for a role
 * without a color.
 */
export function roleColors(color: number | null): { color: string; backgroundColor: string } | undefined {
  // Discord stores black (0) for a role without a color.
  if (!color) return undefined
  const rgb: Rgb = [(color >> 16) & 255, (color >> 8) & 255, color & 255]
  const light = readable(rgb, surfaces.light, [0, 0, 0])
  const dark = readable(rgb, surfaces.dark, [255, 255, 255])
  return {
    color: `light-dark(${css(light.text)}, ${css(dark.text)})`,
    backgroundColor: `light-dark(${css(light.ground)}, ${css(dark.ground)})`,
  }
}

/** Returns a text color and a tint of it as the background. Shifts the text color toward `end` until it is readable. */
export function readable(color: Rgb, surface: Rgb, end: Rgb): { text: Rgb; ground: Rgb } {
  const ground = rounded(mix(surface, color, 0.12))
  for (let part = 0; part < 1; part += 0.02) {
    const text = rounded(mix(color, end, part))
    if (contrast(text, ground) >= 4.5) return { text, ground }
  }
  return { text: end, ground }
}

const mix = (a: Rgb, b: Rgb, part: number): Rgb => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
  a[2] + (b[2] - a[2]) * part,
]
const rounded = ([red, green, blue]: Rgb): Rgb => [Math.round(red), Math.round(green), Math.round(blue)]
const css = ([red, green, blue]: Rgb) => `rgb(${red} ${green} ${blue})`
