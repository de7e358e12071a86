// Stacked bars over time. Heights are drawn from rounded numbers; the text next to them comes from the caller.

import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleBand, scaleLinear } from '@visx/scale'
import { Bar } from '@visx/shape'
import { useEffect, useRef, useState } from 'react'

/** `fill` is a colour of the theme, such as `var(--chart-1)`. */
export type Series = { key: string; fill: string }
export type Column = {
  at: string
  /** Below the axis, where there is room for it. */
  label: string
  /** The tooltip of the column. */
  words: string
  values: Readonly<Record<string, number>>
  /** The same to the last digit, where a number is not exact. */
  texts?: Readonly<Record<string, string>>
}

type Props = {
  /** A description of the chart, for screen readers. */
  title: string
  series: readonly Series[]
  columns: readonly Column[]
  height?: number
}

const margin = { top: 8, right: 16, bottom: 24, left: 44 }
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function BarChart({ title, series, columns, height = 160 }: Props) {
  const [box, width] = useWidth()
  const inner = { width: Math.max(0, width - margin.left - margin.right), height: height - margin.top - margin.bottom }
  const totals = columns.map(({ values }) => series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0))
  const x = scaleBand({ domain: columns.map(({ at }) => at), range: [0, inner.width], padding: 0.25 })
  const y = scaleLinear({ domain: [0, Math.max(1, ...totals)], range: [inner.height, 0], nice: 3 })
  const labels = new Map(columns.map(({ at, label }) => [at, label]))
  const shownMax = Math.max(2, Math.floor(inner.width / 72))
  const step = Math.max(1, Math.ceil(columns.length / shownMax))
  return (
    <div ref={box}>
      <svg width={width} height={height} role="img" aria-label={title} className="block overflow-visible">
        <g transform={`translate(${margin.left},${margin.top})`}>
          {y.ticks(3).map((tick) => (
            <line key={tick} x1={0} x2={inner.width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          ))}
          {columns.map((column) => (
            <g key={column.at}>
              <title>{column.words}</title>
              <rect x={x(column.at) ?? 0} width={x.bandwidth()} y={0} height={inner.height} fill="transparent" />
              {stacked(series, column).map(({ key, fill, from, to }) => (
                <Bar
                  key={key}
                  x={x(column.at) ?? 0}
                  width={x.bandwidth()}
                  y={y(to)}
                  height={Math.max(0, y(from) - y(to))}
                  rx={Math.min(2, x.bandwidth() / 4)}
                  fill={fill}
                />
              ))}
            </g>
          ))}
          <AxisLeft
            scale={y}
            numTicks={3}
            hideAxisLine
            hideTicks
            tickFormat={(value) => compact.format(Number(value))}
            tickLabelProps={{ className: 'fill-soft text-[11px]', dx: '-0.25em', dy: '0.3em', textAnchor: 'end' }}
          />
          <AxisBottom
            top={inner.height}
            scale={x}
            hideTicks
            stroke="var(--line)"
            tickValues={columns.filter((_, nth) => (columns.length - 1 - nth) % step === 0).map(({ at }) => at)}
            tickFormat={(at) => labels.get(at) ?? ''}
            tickLabelProps={{ className: 'fill-soft text-[11px]', textAnchor: 'middle' }}
          />
        </g>
      </svg>
    </div>
  )
}

function stacked(series: readonly Series[], { values }: Column) {
  let from = 0
  return series.flatMap(({ key, fill }) => {
    const value = values[key] ?? 0
    if (value <= 0) return []
    const part = { key, fill, from, to: from + value }
    from = part.to
    return [part]
  })
}

function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}
