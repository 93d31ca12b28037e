/** The media types of a logo. Every browser can show both, and neither can contain a script. */
export const logoTypes = ['image/png', 'image/webp'] as const
/** The maximum size of a logo, in bytes. */
export const maxLogoBytes = 64 * 1024
/** The maximum width and height of a logo, in pixels. */
export const maxLogoSide = 512
