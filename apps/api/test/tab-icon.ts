import type { Page } from 'playwright-core'

/**
 * Loads the icon of a page as an image, under the policy of the page. A browser without a window does not load icons by
 * itself.
 *
 * @throws if the icon is missing, or the policy rejects it
 */
export const loadTabIcon = (page: Page) =>
  page.locator('link[rel=icon]').evaluate(async ({ href }: HTMLLinkElement) => {
    const image = new Image()
    image.src = href
    await image.decode()
  })
