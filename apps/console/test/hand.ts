import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** A way to use the console: clicks on a screen, taps on a phone, or keys. */
export type Way = 'mouse' | 'keyboard' | 'phone'

/** Uses a page as a person does, and counts the actions. Typing and Tab do not count. */
export interface Hand {
  /** Presses a button or a link. */
  press(target: Locator): Promise<void>
  /** Chooses an option of a select. */
  choose(target: Locator, option: string): Promise<void>
  /** Types into a field, and sends the form with Enter. */
  send(target: Locator, text: string): Promise<void>
  /** Uses the search of the console, and opens a result. */
  search(text: string, result: RegExp): Promise<void>
  /** Opens a page of the side bar, which is a menu on a phone. */
  visit(place: string): Promise<void>
  /** The number of actions so far: clicks, taps, or keys that activate an element. */
  readonly count: () => number
}

/** The maximum number of times to press Tab. It exceeds the number of elements that Tab reaches on any page. */
const maxTabs = 200

export function createHand(page: Page, way: Way): Hand {
  let count = 0
  const isFocused = (target: Locator) => target.evaluate((one) => one === document.activeElement)
  /** Focuses an element by pressing Tab. */
  const reach = async (target: Locator) => {
    await target.waitFor()
    for (let presses = 0; presses < maxTabs; presses++) {
      if (await isFocused(target)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not reach ${target}`)
  }
  const act = async (target: Locator, key = 'Enter') => {
    count++
    if (way !== 'keyboard') return target.click()
    await reach(target)
    await page.keyboard.press(key)
  }
  const hand: Hand = {
    press: (target) => act(target),
    choose: async (target, option) => {
      count++
      if (way === 'keyboard') {
        await reach(target)
        await page.keyboard.type(option)
      } else await target.selectOption({ label: option })
    },
    send: async (target, text) => {
      if (way === 'keyboard') await reach(target)
      else await act(target)
      await page.keyboard.insertText(text)
      await page.keyboard.press('Enter')
      if (way === 'keyboard') count++
    },
    search: async (text, result) => {
      if (way === 'keyboard') {
        count++
        await page.keyboard.press('Control+k')
      } else await act(page.getByRole('button', { name: /^Search/ }).first())
      const field = page.getByRole('dialog').getByRole('searchbox')
      await field.waitFor()
      await expect.poll(() => isFocused(field)).toBe(true)
      await page.keyboard.insertText(text)
      const found = page.getByRole('menuitem', { name: result }).first()
      await found.waitFor()
      if (way === 'keyboard') {
        count++
        while ((await found.getAttribute('data-focused')) === null) await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
      } else await act(found)
    },
    visit: async (place) => {
      if (way === 'phone') await act(page.getByRole('button', { name: 'Menu' }))
      await act(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }))
    },
    count: () => count,
  }
  return hand
}
