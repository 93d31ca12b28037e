/** The characters that are not visible, alone or within a name. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
const blank = /[\s\p{Cc}\u2800]+/gu

/** Returns the visible part of a text, as a reader would type it. */
const visibleText = (text: string): string =>
  text.normalize('NFC').replaceAll(invisible, '').replaceAll(blank, ' ').trim()

/**
 * Returns true if a name was typed as it is shown. The page collapses spaces, and names can contain characters without
 * a shape, which a reader can neither see nor type.
 */
export const isNameTyped = (typed: string, name: string): boolean => visibleText(typed) === visibleText(name)
