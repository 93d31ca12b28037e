import type { en } from './en.ts'

/** The texts of the pages in one language. The keys are those of the English catalog. */
export type PageTexts = Readonly<Record<keyof typeof en, string>>
