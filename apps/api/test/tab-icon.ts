import type { Page } from 'playwright-core'

/**
 * Loads the icon of a page as an image, under the policy of the page: a browser without a window has no tab, and so
 * loads no icon by itself.
 *
 * @throws if the icon is missing, or the policy rejects it
 */
export const loadTabIcon = (page: Page) =>
  page.locator('link[rel=icon]').evaluate(async ({ href }: HTMLLinkElement) => {
    const image = new Image()
    image.src = href
    await image.decode()
  })
