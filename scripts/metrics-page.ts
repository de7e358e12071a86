// Writes /docs/reference/metrics: every metric of Causeway, from the registry behind /metrics.

import { metrics, sharedMetrics } from '../packages/server/src/platform/observe/metrics.ts'
import { listOf, pageHead, recordOf, sentence } from './reference-pages.ts'

/** Metrics of Node and of the process have the same names in every program. */
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
  return `${pageHead('Metrics', 'Every Prometheus metric of Causeway, with its type and labels.', 'tableOfContents: false')}

\`GET /metrics\` responds in Prometheus' text format, compressed if the caller accepts gzip. The text is at most one second old. The
route needs a token if [\`METRICS_TOKEN\`](../reference/configuration.md#metrics_token) is set. No label names a business, a person or an address.
Metrics of the process and of Node (memory, CPU time, open files, event loop delay) have names \`causeway_process_…\` and \`causeway_nodejs_…\`.

In the repository, the dashboard [deploy/grafana/causeway.json](../../../../../deploy/grafana/causeway.json) and the alerts
[deploy/prometheus/alerts.yml](../../../../../deploy/prometheus/alerts.yml) use these metrics. For each alert, [the alert runbook](../run/alerts.md)
shows what to do.

${entries.join('\n\n')}
`
}
