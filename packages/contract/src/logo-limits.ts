/** Media types of a logo. Both are decoded by every browser and can contain no script. */
export const logoTypes = ['image/png', 'image/webp'] as const
/** The maximum size of a logo, in bytes. */
export const maxLogoBytes = 64 * 1024
/** The maximum width and height of a logo, in pixels. */
export const maxLogoSide = 512
