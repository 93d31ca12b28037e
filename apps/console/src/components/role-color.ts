type Rgb = readonly [number, number, number]

/** Where chips stand: `--raised`, light and dark. */
const surfaces = { light: [255, 255, 255], dark: [23, 26, 32] } as const

/** A role's colours on the ground of the console, each with 4.5:1 or more; undefined for a role without a colour. */
export function roleColors(color: number | null): { color: string; backgroundColor: string } | undefined {
  // The platform writes "no colour" as black.
  if (!color) return undefined
  const rgb: Rgb = [(color >> 16) & 255, (color >> 8) & 255, color & 255]
  const light = readable(rgb, surfaces.light, [0, 0, 0])
  const dark = readable(rgb, surfaces.dark, [255, 255, 255])
  return {
    color: `light-dark(${css(light.text)}, ${css(dark.text)})`,
    backgroundColor: `light-dark(${css(light.ground)}, ${css(dark.ground)})`,
  }
}

/** The colour as text on a breath of itself, moved towards `end` until it can be read. */
export function readable(color: Rgb, surface: Rgb, end: Rgb): { text: Rgb; ground: Rgb } {
  const ground = rounded(mix(surface, color, 0.12))
  for (let part = 0; part < 1; part += 0.02) {
    const text = rounded(mix(color, end, part))
    if (contrast(text, ground) >= 4.5) return { text, ground }
  }
  return { text: end, ground }
}

/** WCAG 2.2, contrast ratio. */
export function contrast(a: Rgb, b: Rgb): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other)
  return (high + 0.05) / (low + 0.05)
}

const luminance = ([red, green, blue]: Rgb) =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
const linear = (part: number) => {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
const mix = (a: Rgb, b: Rgb, part: number): Rgb => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
  a[2] + (b[2] - a[2]) * part,
]
const rounded = ([red, green, blue]: Rgb): Rgb => [Math.round(red), Math.round(green), Math.round(blue)]
const css = ([red, green, blue]: Rgb) => `rgb(${red} ${green} ${blue})`
