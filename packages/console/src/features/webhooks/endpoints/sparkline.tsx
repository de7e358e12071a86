// The health of an endpoint at a glance: a bar an hour, what failed on top.

import type { Span } from './rows.ts'

const height = 24
const barWidth = 4
const gap = 1

export function Sparkline({ spans }: { spans: readonly Span[] }) {
  const most = Math.max(1, ...spans.map(({ delivered, failed }) => delivered + failed))
  const [delivered, failed] = [sum(spans, 'delivered'), sum(spans, 'failed')]
  if (delivered + failed === 0) return <span className="text-soft">No attempts</span>
  // The least of a bar is visible: one failure among thousands is what one looks for.
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * height))
  const width = spans.length * (barWidth + gap)
  return (
    <svg
      role="img"
      aria-label={`${delivered} attempts delivered and ${failed} failed in ${spans.length} hours`}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="max-w-full"
    >
      <rect y={height - 1} width={width} height={1} className="fill-line" />
      {spans.map((span, at) => {
        const [good, bad] = [heightOf(span.delivered), heightOf(span.failed)]
        const x = at * (barWidth + gap)
        return (
          <g key={span.at}>
            <rect x={x} y={height - good} width={barWidth} height={good} className="fill-good" />
            <rect x={x} y={Math.max(0, height - good - bad)} width={barWidth} height={bad} className="fill-bad" />
          </g>
        )
      })}
    </svg>
  )
}

const sum = (spans: readonly Span[], member: 'delivered' | 'failed') =>
  spans.reduce((total, span) => total + span[member], 0)
