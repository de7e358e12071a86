// Two hosts under Patroni as the database of a world.

import type { Cluster, DatabasePlan, Host } from '../database.ts'
import { askOn, connectionOf, urlOf } from '../session.ts'
import { type By, openCluster } from './cluster.ts'
import type { PatroniNode } from './node.ts'

/** Two hosts under Patroni and etcd, set up from deploy/patroni/, one a synchronous standby; optionally behind HAProxy. */
export function patroni({ by }: { by: By }): DatabasePlan<Cluster> {
  return {
    needs: [
      ['postgres', 'postgresql-15'],
      ['patroni', 'patroni'],
      ['etcd', 'etcd-server'],
      ['haproxy', 'haproxy'],
    ],
    async open(stack) {
      const cluster = stack.use(await openCluster())
      const login = connectionOf(cluster.url('haproxy'))
      const nodeOf = (host: Host): PatroniNode | undefined => cluster.nodes.find(({ name }) => name === host.name)
      return {
        url: cluster.url(by),
        hosts: cluster.nodes,
        async ask(sql, values) {
          const { port } = await cluster.primary()
          return await askOn(urlOf({ ...login, port }), sql, values)
        },
        ends: () => cluster.nodes.reduce((sum, node) => sum + (node.log().match(/PANIC:/g)?.length ?? 0), 0),
        primary: () => cluster.primary(),
        async promotedAfter(lost) {
          const beganAt = performance.now()
          await cluster.primary(nodeOf(lost))
          return Math.round(performance.now() - beganAt)
        },
        untilSynchronous: () => cluster.untilSynchronous(),
        async heal() {
          for (const node of cluster.nodes) {
            if (node.isRunning()) node.thaw()
            else node.start()
          }
          await cluster.untilSynchronous()
        },
        [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
      }
    },
  }
}
