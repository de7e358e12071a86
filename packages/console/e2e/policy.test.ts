// Rules for every page of the console, on a desktop, on half of one and on a phone, in light and dark: readable by
// screen readers, as wide as the screen, with one heading, and nothing outside of its card. No requests to other
// origins, no messages in the browser's console. Also the cost of the first visit. A check of a page takes half a
// second of CPU: by default, `npm test` checks each in one of the six forms, and in all six with
// CAUSEWAY_EVERY_FORM=true, as the CI run does. The width of a page is checked in every form.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld, desk, half, phone, settled } from './console-world.ts'
import { pagePaths } from './paths.ts'

type Violation = { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const runAxe = (rules: string[] | null) =>
  `axe.run({ resultTypes: ['violations']${rules ? `, runOnly: ${JSON.stringify(rules)}` : ''} }).then(({ violations }) => violations)`

/** Bytes as they are sent, compressed. */
const [shellBytesMax, firstPageBytesMax] = [160_000, 250_000]

/** The CI run has looked at every form by then. */
const isSeen = process.env['CAUSEWAY_EVERY_FORM'] === 'seen' && 'every form of every page was looked at before'

describe('every page', { skip: lacking('browser') || lacking('console') || isSeen }, () => {
  let world: ConsoleWorld
  before(async () => {
    world = await consoleWorld({ DESTINATION_CHANGE_DELAY_MINUTES: '60' })
  })
  after(() => world.stop())

  const seen: string[] = []

  for (const [index, { name, as, prepare }] of pagePaths.entries())
    test(name, async () => {
      const path = await prepare(world)
      seen.push(path)
      for (const { screen, schemes } of formsOf(index)) {
        const page = await world.open(path, { ...screens[screen], as })
        // Colours that pass over into each other are looked at when they have.
        await page.addStyleTag({ content: '* { transition: none !important }' })
        await page.evaluate(axe)
        for (const scheme of schemes) {
          // The content of a page is the same in the dark: only its colors differ.
          const isSeenInLight = schemes.length > 1 && scheme === 'dark'
          await assertPolicy(page, `${screen}, ${scheme}`, scheme, isSeenInLight ? ['color-contrast'] : null)
        }
        // A phone keeps its width.
        if (screen !== 'phone')
          for (const width of desktopWidths) {
            await page.setViewportSize({ width, height: 800 })
            await assertWithin(page, `${width} px`)
          }
        await page.emulateMedia({ media: 'print' })
        assert.equal(
          await page.locator('main :is(button, search):visible').count(),
          0,
          'what can be pressed is printed',
        )
        await page.emulateMedia({ media: 'screen' })
        page.assertClean()
      }
    })

  test('no page is left out', () => {
    const missing = routes().filter(([, pattern]) => !seen.some((path) => pattern.test(path.replace(/[?#].*$/, ''))))
    assert.deepEqual(
      missing.map(([path]) => path),
      [],
    )
  })

  test('the first visit is small', async () => {
    const shell = await bytesOf(world, '/sign-in', null)
    assert.ok(shell <= shellBytesMax, `the frame of the pages has ${shell} bytes`)
    const first = await bytesOf(world, '/', 'business')
    assert.ok(first <= firstPageBytesMax, `the first page has ${first} bytes`)
  })
})

const screens = { desk, half, phone } as const
type Scheme = 'light' | 'dark'
type Forms = { screen: keyof typeof screens; schemes: readonly Scheme[] }

const everyForm: readonly Forms[] = [
  { screen: 'desk', schemes: ['light', 'dark'] },
  { screen: 'half', schemes: ['light', 'dark'] },
  { screen: 'phone', schemes: ['light', 'dark'] },
]
const oneForm = everyForm.flatMap(({ screen, schemes }) =>
  schemes.map((scheme): Forms => ({ screen, schemes: [scheme] })),
)

function formsOf(index: number): readonly Forms[] {
  const form = oneForm[index % oneForm.length]
  return process.env['CAUSEWAY_EVERY_FORM'] === 'true' || !form ? everyForm : [form]
}

const features = join(import.meta.dirname, '../src/features')
/** Leads on to the first of its children. */
const withoutPage = ['/developers']

/** The addresses that the subjects list, each with what it looks like. */
function routes(): [path: string, pattern: RegExp][] {
  return globSync('*/routes.ts', { cwd: features }).flatMap((file) => {
    const text = readFileSync(join(features, file), 'utf8')
    const parent = file.startsWith('operator') ? '/operator' : ''
    return [...text.matchAll(/\bpath: '([^']+)'/g)]
      .map(([, path = '']) => (path === '/' && parent !== '' ? parent : parent + path))
      .filter((path) => !withoutPage.includes(path))
      .map((path): [string, RegExp] => [path, new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}$`)])
  })
}

async function assertPolicy(
  page: ConsolePage,
  where: string,
  colorScheme: Scheme,
  rules: string[] | null,
): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor({ state: 'attached' })
  await settled(page)
  assert.equal(await page.locator('h1').count(), 1, `${where}: headings of the first order`)
  await assertWithin(page, where)
  const violations = await page.evaluate<Violation[]>(runAxe(rules))
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(serious.map(wordsOf), [], where)
}

/** The widths of a desktop, of a small one with the navigation, and of half of one. */
const desktopWidths = [1280, 1024, 640]

/** Elements that exceed the box that frames them. A box that scrolls on purpose, such as code, is a separate frame. */
const outside = `(() => {
  const scrolls = (box) => box !== document.documentElement && getComputedStyle(box).overflowX !== 'visible'
  return [...document.querySelectorAll('main section, main table')].flatMap((card) =>
    [...card.querySelectorAll('*')].filter((part) => {
      const { right, width } = part.getBoundingClientRect()
      if (width <= 1 || right <= card.getBoundingClientRect().right + 1) return false
      for (let box = part.parentElement; box !== card; box = box.parentElement) if (scrolls(box)) return false
      return !scrolls(card)
    }).slice(0, 1).map((part) => part.outerHTML.slice(0, 160)))
})()`

/** Elements that make the page wider than the screen. */
const beyond = `(() => {
  const { scrollWidth, clientWidth } = document.scrollingElement
  if (scrollWidth <= clientWidth) return []
  const parts = [...document.body.querySelectorAll('*')].filter((part) => part.getBoundingClientRect().right > clientWidth + 1)
  return [scrollWidth + ' px are shown on ' + clientWidth, ...parts.slice(-3).map((part) => part.outerHTML.slice(0, 160))]
})()`

async function assertWithin(page: ConsolePage, where: string): Promise<void> {
  // A table takes another form in the next frames.
  const look = async () => (await Promise.all([outside, beyond].map((of) => page.evaluate<string[]>(of)))).flat()
  let found = await look()
  for (let looks = 1; found.length > 0 && looks < 10; looks++) {
    await page.waitForTimeout(50)
    found = await look()
  }
  assert.deepEqual(found, [], `${where}: what stands outside of its card or of the screen`)
}

const wordsOf = ({ id, nodes: [first] }: Violation): string => `${id}: ${first?.html} ${first?.failureSummary ?? ''}`

/** Bytes that a browser loads on its first visit until a page is shown. */
async function bytesOf(world: ConsoleWorld, path: string, as: 'business' | null): Promise<number> {
  const page = await world.open('/sign-in', { as })
  await page.goto('about:blank') // what is still on its way is not counted
  // Nor is the command menu, which is loaded 2 s later: on a slow machine that is before the page is complete.
  await page.addInitScript('const start = setTimeout; setTimeout = (run, ms) => (ms >= 2_000 ? 0 : start(run, ms))')
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`/console${path}`)
  await page.locator('h1').first().waitFor()
  await settled(page)
  return bytes
}
