import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const colorRules = ['color-contrast', 'link-in-text-block']

/** Options of axe: all rules of the standards, or only those that depend on colors, or on the layout, too. */
export const axeRules = {
  all: {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    resultTypes: ['violations'],
  },
  /** The color rules of the same standards, which axe puts in `cat.color`. */
  colors: { runOnly: { type: 'rule', values: colorRules } },
  /** The rules of the same standards that a page can violate in one width or scheme, and not in another. */
  looks: {
    runOnly: { type: 'rule', values: [...colorRules, 'target-size', 'scrollable-region-focusable'] },
  },
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/**
 * Returns the violations that axe finds on a page, one per line. Without options, axe applies its default rules. The
 * browser's tools run it, also in a page whose policy allows no script.
 */
export async function axeFindings(page: Page, options: object = {}): Promise<string[]> {
  // Loads axe only into pages that are checked, because most pages load faster than axe does.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(`${source};undefined`)
  return page.evaluate(async (chosen) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
    const { violations } = await axe.run(chosen)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  }, options)
}
