import type { en } from './en.ts'

/** The texts of the pages in a language: the keys of English. */
export type PageTexts = Readonly<Record<keyof typeof en, string>>
