// /docs/reference/metrics: every metric of ours, from the registry that /metrics shows.

import { metrics, sharedMetrics } from '../packages/server/src/platform/observe/metrics.ts'
import { listOf, pageHead, recordOf, sentence } from './reference-pages.ts'

/** Those of Node and of the process have names of their own kind, the same everywhere. */
export const isOurs = (name: string): boolean => !/^causeway_(process|nodejs)_/.test(name)

export function metricsPage(): string {
  const entries = [metrics, sharedMetrics]
    .flatMap((registry) => registry.getMetricsAsArray())
    .map((metric) => recordOf({ ...metric }))
    .filter(({ name }) => isOurs(String(name)))
    .map(({ name, type, labelNames, help }) => {
      const labels = listOf(labelNames).map((label) => `\`${label}\``)
      const kind = `A ${type}${labels.length > 0 ? ` by ${labels.join(', ')}` : ''}.`
      return [`## \`${name}\``, sentence(String(help)), kind].join('\n\n')
    })
  return `${pageHead('Metrics', 'Every metric of the service.', 'tableOfContents: false')}

\`GET /metrics\` responds in Prometheus' text format, compressed if the caller accepts gzip. The text is at most one second old. The
route needs a token if [\`METRICS_TOKEN\`](../reference/configuration.md#metrics_token) is set. No label names a business, a person or an address.
Beside these there are those of the process and of Node, as \`causeway_process_…\` and \`causeway_nodejs_…\`: memory,
processor time, open files, event loop delay.

The dashboard [deploy/grafana/causeway.json](../../../../../deploy/grafana/causeway.json) and the alerts
[deploy/prometheus/alerts.yml](../../../../../deploy/prometheus/alerts.yml) use them; [operating.md](../operate/operating.md#alerts-and-what-to-do)
has what to do at each alert.

${entries.join('\n\n')}
`
}
