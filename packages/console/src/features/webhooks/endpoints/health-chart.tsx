// Attempts by the hour or day, what failed on top of what was delivered.

import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleBand, scaleLinear } from '@visx/scale'
import { Bar } from '@visx/shape'
import { useEffect, useRef, useState } from 'react'
import { duration } from '../words.ts'
import type { Span } from './rows.ts'

const height = 176
/** The axis ends at a tick, so no column exceeds the highest line. */
const ticksMost = 4
const margin = { top: 8, right: 8, bottom: 24, left: 40 }

const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

type Props = { spans: readonly Span[]; interval: 'hour' | 'day' }

export function HealthChart({ spans, interval }: Props) {
  const [ref, width] = useWidth()
  return (
    <figure className="grid gap-2">
      <div ref={ref} className="w-full overflow-hidden" style={{ height }}>
        {width > 0 && <Bars spans={spans} interval={interval} width={width} />}
      </div>
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-soft text-xs">
        <span className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className="size-2.5 rounded-sm bg-good" /> Delivered
        </span>
        <span className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className="size-2.5 rounded-sm bg-bad" /> Failed
        </span>
      </figcaption>
      <Table spans={spans} />
    </figure>
  )
}

function Bars({ spans, interval, width }: Props & { width: number }) {
  const most = Math.max(1, ...spans.map(({ delivered, failed }) => delivered + failed))
  const bottom = height - margin.bottom
  const x = scaleBand({ domain: spans.map(({ at }) => at), range: [margin.left, width - margin.right], padding: 0.2 })
  const y = scaleLinear({ domain: [0, most], range: [bottom, margin.top], nice: ticksMost })
  const label = spans.length <= 26 && interval === 'hour' ? hour : day
  const tickEvery = Math.ceil(spans.length / Math.max(2, Math.floor(width / 90)))
  const ticks = spans.flatMap(({ at }, nth) => (nth % tickEvery === 0 ? at : []))
  const text = { fill: 'var(--ink-soft)', fontSize: 11, fontFamily: 'inherit' }
  return (
    <svg width={width} height={height} aria-hidden="true">
      {y.ticks(ticksMost).map((value) => (
        <line
          key={value}
          x1={margin.left}
          x2={width - margin.right}
          y1={y(value)}
          y2={y(value)}
          className="stroke-line"
        />
      ))}
      {spans.map((span) => {
        const left = x(span.at) ?? 0
        const [top, middle] = [y(span.delivered + span.failed), y(span.delivered)]
        return (
          <g key={span.at}>
            <title>{words(span)}</title>
            {/* The whole column answers to the pointer, not the bar alone. */}
            <rect x={left} y={margin.top} width={x.bandwidth()} height={bottom - margin.top} fill="transparent" />
            <Bar x={left} y={middle} width={x.bandwidth()} height={bottom - middle} fill="var(--good)" rx={1} />
            <Bar x={left} y={top} width={x.bandwidth()} height={middle - top} fill="var(--bad)" rx={1} />
          </g>
        )
      })}
      <AxisLeft
        left={margin.left}
        scale={y}
        numTicks={ticksMost}
        tickFormat={(value) => (Number.isInteger(Number(value)) ? Number(value).toLocaleString('en') : '')}
        hideAxisLine
        hideTicks
        tickLabelProps={{ ...text, textAnchor: 'end', dx: -4, dy: 4 }}
      />
      <AxisBottom
        top={bottom}
        scale={x}
        tickValues={ticks}
        tickFormat={(at) => label.format(new Date(at))}
        hideTicks
        stroke="var(--line-strong)"
        tickLabelProps={{ ...text, textAnchor: 'middle', dy: 2 }}
      />
    </svg>
  )
}

function words({ at, delivered, failed, p95Ms }: Span): string {
  const time = p95Ms === null ? '' : `, 95th percentile ${duration(p95Ms)}`
  return `${moment.format(new Date(at))}: ${delivered} delivered, ${failed} failed${time}`
}

function Table({ spans }: { spans: readonly Span[] }) {
  const shown = spans.filter(({ delivered, failed }) => delivered + failed > 0)
  return (
    <details>
      <summary className="cursor-pointer text-soft text-xs">View table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <div className="mt-2 max-h-64 overflow-auto" tabIndex={0}>
        <table className="w-full text-left text-xs tabular-nums">
          <thead>
            <tr className="border-line border-b text-soft">
              {['From', 'Delivered', 'Failed', 'Median', '95th percentile'].map((name) => (
                <th key={name} scope="col" className="py-1.5 pr-3 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ at, delivered, failed, p50Ms, p95Ms }) => (
              <tr key={at} className="border-line border-b last:border-0">
                <td className="py-1 pr-3">{moment.format(new Date(at))}</td>
                <td className="py-1 pr-3">{delivered}</td>
                <td className="py-1 pr-3">{failed}</td>
                <td className="py-1 pr-3">{p50Ms === null ? '–' : duration(p50Ms)}</td>
                <td className="py-1 pr-3">{p95Ms === null ? '–' : duration(p95Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

/** The width that the chart has, as it changes. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (ref.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}
