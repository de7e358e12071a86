// The pages of the console, for the tests that look at each of them and for the pictures. `world` makes what a page shows.

import type { ConsoleWorld } from './console-world.ts'

export type PagePath = {
  /** Of the picture. */
  name: string
  as: 'business' | 'operator'
  /** @returns the path below /console, once what it shows is there */
  prepare: (world: ConsoleWorld) => string | Promise<string>
}

const at = (name: string, path: string, as: PagePath['as'] = 'business'): PagePath => ({
  name,
  as,
  prepare: () => path,
})

export const pagePaths: readonly PagePath[] = [at('home', '/'), at('end-users', '/end-users')]
