import { expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { authorizePath } from '../../api/test/given.ts'
import { ihdr, png, pngOf } from '../../api/test/images.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer })

test.each([
  [390, 'dark'],
  [1280, 'light'],
] as const)(
  'at %i pixels in %s: a logo and a color are set, shown, corrected and removed, and each problem is named',
  async (width, colorScheme) => {
    const { project } = await admin.create({ name: `Harbour log ${width}` })
    const visit = await at.open(`/console/projects/${project.id}/settings`, { width, colorScheme })
    const { page } = visit
    const look = page.getByRole('region', { name: 'Branding' })
    const stored = async () => (await admin.projects('GET', `/${project.id}`)).body.branding

    const logo = look.getByLabel('Logo', { exact: true })
    await logo.setInputFiles(file('large.png', Buffer.alloc(70_000)))
    await look.getByText('This file is larger than 64 KiB.').waitFor()
    await logo.setInputFiles(file('broken.png', pngOf(ihdr())))
    await look.getByText('The PNG image is truncated.').waitFor()
    await logo.setInputFiles(file('logo.svg', Buffer.from('<svg/>'), 'image/svg+xml'))
    await look.getByText('The body must be image/png or image/webp').waitFor()
    expect(await stored()).toEqual({ accentColor: null, hasLogo: false })

    await logo.setInputFiles(file('logo.png', png(40, 20)))
    const shown = look.getByRole('img', { name: `Logo of Harbour log ${width}` })
    await shown.waitFor()
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(40)

    const color = look.getByLabel('Accent color', { exact: false }).first()
    await color.fill('blue')
    await color.press('Enter')
    await look.getByText('must be a color of six hexadecimal digits').waitFor()
    await color.fill('#FFD400')
    expect(await look.getByLabel('Pick the accent color').inputValue()).toBe('#ffd400')
    const sample = look.getByText('Sign in', { exact: true })
    expect(await sample.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(0, 0, 0)')
    expect(await visit.findings()).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await color.press('Enter')
    await expect.poll(stored).toEqual({ accentColor: '#ffd400', hasLogo: true })

    // Uses only the keyboard.
    await look.getByRole('button', { name: 'Remove logo' }).focus()
    await page.keyboard.press('Enter')
    await look.getByText('No logo').waitFor()
    expect(await stored()).toEqual({ accentColor: '#ffd400', hasLogo: false })
    visit.expectQuiet()
    await visit.close()
  },
  60_000,
)

test.each([
  [390, 'light'],
  [1280, 'dark'],
] as const)(
  'at %i pixels in %s: a page that a member sees shows the server, the project, its logo and its color',
  async (width, colorScheme) => {
    const { project } = await admin.create({ name: `Tide table ${width}` })
    const path = `/api/admin/projects/${project.id}`
    const { token } = admin
    await call(at.url, 'PUT', `${path}/logo`, {
      token,
      raw: png(40, 20),
      headers: { 'content-type': 'image/png' },
    })
    await call(at.url, 'PATCH', path, { token, body: { branding: { accentColor: '#ffd400' } } })
    // Its redirect URI is not registered, so the sign-in ends on a page of the service.
    const visit = await at.open(authorizePath(project.id, {}), { width, colorScheme, as: null })
    const { page } = visit
    const header = page.getByRole('banner')
    await header.getByText(project.name).waitFor()
    await header.getByText('Harbour Club').waitFor()
    const images = header.locator('img')
    await expect
      .poll(() => images.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth > 0)))
      .toEqual([true, true])
    expect(await header.evaluate((one) => getComputedStyle(one).borderBottomColor)).toBe('rgb(255, 212, 0)')
    await page.getByRole('contentinfo').getByText('Rolecall', { exact: true }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await visit.findings()).toEqual([])
    if (process.env['SCREENSHOTS'])
      await page.screenshot({ path: `${process.env['SCREENSHOTS']}/${width}.png` })
    visit.expectQuiet()
    await visit.close()
  },
  60_000,
)
