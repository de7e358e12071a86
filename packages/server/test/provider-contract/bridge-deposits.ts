// Draws deposits as Bridge's history lists them, in both forms of receipt, with flawed ones among them.

import { randomInt } from 'node:crypto'
import { drawStory, draws, type Expected, shownOf } from '../deposit-books-story.ts'
import type { Candidate } from './worlds.ts'

const routes = ['usd usdc', 'usd usdt', 'eur eurc', 'eur usdc', 'mxn usdc', 'brl usdc', 'gbp usdt', 'cop usdc']
const pageMax = 100

export const drawBridgeDeposits: NonNullable<Candidate['draw']> = (count) => {
  const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31))
  const draw = draws(seed)
  const stories = Array.from({ length: count }, (_, nth) => {
    const [source = '', coin = ''] = (routes[nth % routes.length] ?? '').split(' ')
    const account = `account-${nth}`
    return drawStory(draw, { account, ids: { customer: `customer-${nth}`, account }, source, coin })
  })
  const steps = draw.shuffled(stories.flatMap((story) => story.steps))
  const pages = Array.from({ length: Math.ceil(steps.length / pageMax) }, (_, nth) =>
    steps.slice(nth * pageMax, (nth + 1) * pageMax),
  )
  return {
    seed,
    // A text that starts with `#` is a JSON number.
    pages: pages.map((data) => JSON.stringify({ count: data.length, data }).replace(/"#([0-9.]+)"/g, '$1')),
    deposits: stories.flatMap(({ expected }) => expected.map(drawnOf)),
  }
}

function drawnOf(expected: Expected) {
  const { sourceCurrency, destinationCurrency, status } = expected
  return {
    id: expected.providerDepositId,
    pair: { sourceCurrency, destinationCurrency },
    status,
    shown: shownOf(expected),
  }
}
