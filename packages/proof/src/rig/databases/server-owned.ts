// The database that one `causeway serve` manages itself, with its state folder on a small filesystem.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataOf, superuser } from '../../../../embedded-postgres/src/cluster.ts'
import { locate } from '../../../../embedded-postgres/src/place.ts'
import { database } from '../../../../embedded-postgres/src/session.ts'
import { readEndpoint, readPostmasterId } from '../../../../embedded-postgres/src/socket.ts'
import type { Database, DatabasePlan, Disk } from './database.ts'
import { askOn, urlOf } from './session.ts'
import { mountSmallDisk } from './small-disk.ts'

const lookMs = 100

/** For root, the database is next to the temporary state folder, so it is also on the small filesystem. */
export function serverOwned({
  diskMb,
}: {
  diskMb: number
}): DatabasePlan<Database & { disk: Disk; postmaster(): number }> {
  return {
    needs: [['mount', 'mount']],
    async open(stack) {
      const disk = stack.use(await mountSmallDisk(diskMb))
      const home = join(disk.path, 'home')
      const place = () => locate(home)
      const postmaster = (): number => readPostmasterId(dataOf(place())) ?? 0
      let [last, ends] = [0, 0]
      const looking = setInterval(() => {
        const now = postmaster()
        if (now !== 0 && last !== 0 && now !== last) ends += 1
        if (now !== 0) last = now
      }, lookMs)
      stack.defer(() => clearInterval(looking))
      return {
        url: '',
        home,
        ask(sql, values) {
          const endpoint = readEndpoint(dataOf(place()))
          if (!endpoint) throw new Error('the database of the server does not run')
          const password = readFileSync(join(place().cluster, 'password'), 'utf8')
          return askOn(urlOf({ ...endpoint, username: superuser, password, database }), sql, values)
        },
        ends: () => ends,
        disk,
        postmaster,
        heal: () => disk.free(),
        async [Symbol.asyncDispose]() {},
      }
    },
  }
}
