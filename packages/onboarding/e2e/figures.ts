// The cost of the first visit: bytes, requests, time until visible, time until usable, layout shift, blocking time. On
// a fast connection, and on a mid-range phone with a slow one: `npm run onboarding:figures`.

import { pathToFileURL } from 'node:url'
import { type OnboardingWorld, onboardingWorld, phone } from './onboarding-world.ts'

export type Figures = {
  bytes: number
  requests: number
  firstPaintMs: number
  largestPaintMs: number
  /** From the start of the navigation until the first button has been pressed and what follows is there. */
  usableMs: number
  layoutShift: number
  /** Of tasks of the main thread, what is beyond 50 ms of each. */
  blockedMs: number
}

type Line = { cpu: number; network: { latency: number; downloadThroughput: number; uploadThroughput: number } | null }

const lines: Readonly<Record<string, Line>> = {
  'this machine': { cpu: 1, network: null },
  // As Lighthouse simulates a slow 4G: 1.6 Mbit/s down, 0.75 up, 150 ms; a CPU four times slower.
  'slow phone': { cpu: 4, network: { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 } },
}

const observers = `
  window.figures = { shift: 0, blocked: 0, largest: 0 }
  const observe = (type, see) => new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true })
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) figures.shift += value })
  observe('longtask', ({ duration }) => { figures.blocked += duration - 50 })
  observe('largest-contentful-paint', ({ startTime }) => { figures.largest = startTime })`

export async function firstVisit(
  world: OnboardingWorld,
  { cpu, network }: Line = { cpu: 1, network: null },
): Promise<Figures> {
  const { link } = await world.applicant()
  const page = await world.open('about:blank', phone)
  await page.addInitScript(observers)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpu })
  if (network) await session.send('Network.emulateNetworkConditions', { offline: false, ...network })
  let [bytes, requests] = [0, 0]
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
    requests += 1
  })
  await page.goto(link.url, { waitUntil: 'commit' })
  const begin = page.getByRole('button', { name: 'Begin' })
  await begin.waitFor()
  const [firstBytes, firstRequests] = [bytes, requests]
  await begin.click()
  await page.getByRole('heading', { name: 'Accept the terms' }).waitFor()
  const [usableMs, firstPaintMs, { largest, shift, blocked }] = await page.evaluate<
    [number, number, { largest: number; shift: number; blocked: number }]
  >(`[performance.now(), performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, figures]`)
  await page.context().close()
  return {
    bytes: firstBytes,
    requests: firstRequests,
    firstPaintMs: Math.round(firstPaintMs),
    largestPaintMs: Math.round(largest),
    usableMs: Math.round(usableMs),
    layoutShift: Math.round(shift * 1_000) / 1_000,
    blockedMs: Math.round(blocked),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const world = await onboardingWorld()
  const found: Record<string, Figures> = {}
  await firstVisit(world) // the first one warms up the server
  for (const [name, line] of Object.entries(lines)) found[name] = await firstVisit(world, line)
  console.table(found)
  await world.stop()
}
