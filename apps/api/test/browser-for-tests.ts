import { chromium } from 'playwright-core'
import { chromiumOptions } from '../../../tools/chromium.ts'
import { madeForTests } from './made-for-tests.ts'

/** Starts Chromium before the tests of this block, and closes it after them. */
export const browserForTests = () =>
  madeForTests(
    () => chromium.launch(chromiumOptions()),
    (browser) => browser.close(),
  )
