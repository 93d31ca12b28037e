import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Demo } from './start-demo.ts'

/** The folder for screenshots. Without it, none are taken. */
const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

/** Completes the two pages of the chat platform: chooses an account, and agrees. */
export const chooseAndAgree = async (
  page: Page,
  name: string,
  answer: 'Authorize' | 'Cancel' = 'Authorize',
) => {
  await page.getByRole('button', { name }).click()
  await page.getByRole('button', { name: answer }).click()
}

/** Signs in at the demo site as a member. Ends on the page for members. */
export const logIn = async (page: Page, demo: Demo, name: string) => {
  await page.goto(demo.siteUrl)
  await page.getByRole('link', { name: 'Sign in with Discord' }).click()
  await chooseAndAgree(page, name)
  await page.getByRole('heading', { name: 'Current roles' }).waitFor()
}

export const shoot = async (page: Page, name: string) => {
  if (!pictures) return
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
