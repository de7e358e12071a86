// Whether a measured value grows: a line fitted through its samples. Pure.

export type Point = { atMs: number; value: number }

/** Growth per hour that never counts as a trend, such as one page of a table or one connection. */
export type Series = { name: string; unit: string; leastPerHour: number; points: readonly Point[] }

export type Trend = {
  name: string
  unit: string
  /** After the warm-up. */
  base: number
  last: number
  /** The slope of the line, and the standard error of that slope. */
  perHour: number
  errorPerHour: number
  /** In percent of `base`. */
  percentPerDay: number
}

const hourMs = 3_600_000
const dayHours = 24
/** Garbage collection and checkpoints move a value up and down: the least of each window is what stays. */
const windowMs = 5 * 60_000
const percentPerDayMax = 10
const windowsMin = 3

/**
 * @param fromMs end of the warm-up: `base` is the value of the first window after it
 * @param fittedFromMs the line goes through the windows from here on
 */
export function trendOf(series: Series, fromMs: number, fittedFromMs: number): Trend {
  const floors = floorsOf(series.points.filter(({ atMs }) => atMs >= fromMs))
  const fitted = floors.filter(({ atMs }) => atMs >= fittedFromMs)
  const base = floors[0]?.value ?? 0
  const { slope, error } = fit(fitted)
  return {
    name: series.name,
    unit: series.unit,
    base: rounded(base),
    last: rounded(floors.at(-1)?.value ?? 0),
    perHour: rounded(slope * hourMs),
    errorPerHour: rounded(error * hourMs),
    percentPerDay: base > 0 ? rounded((slope * hourMs * dayHours * 100) / base) : 0,
  }
}

/** @returns why the run fails: what grows by more than 10 % a day, and more than the error of the fit explains */
export function faultsOfTrends(series: readonly Series[], fromMs: number, fittedFromMs: number): string[] {
  const faults: string[] = []
  for (const one of series) {
    const windows = floorsOf(one.points.filter(({ atMs }) => atMs >= fittedFromMs)).length
    if (windows < windowsMin) {
      faults.push(`${one.name} was measured in ${windows} windows of five minutes: too few for a line`)
      continue
    }
    const { base, perHour, errorPerHour, percentPerDay, unit } = trendOf(one, fromMs, fittedFromMs)
    const surely = perHour - 2 * errorPerHour
    const isTrend = surely > one.leastPerHour && surely * dayHours > (base * percentPerDayMax) / 100
    if (isTrend)
      faults.push(
        `${one.name} grows by ${percentPerDay} % a day: ${perHour} ± ${errorPerHour} ${unit} an hour from ${base}`,
      )
  }
  return faults
}

/** @returns the least point of each window */
function floorsOf(points: readonly Point[]): Point[] {
  const windows = Map.groupBy(points, ({ atMs }) => Math.floor(atMs / windowMs))
  return [...windows.values()].map((inWindow) =>
    inWindow.reduce((least, point) => (point.value < least.value ? point : least)),
  )
}

/** Least squares. @returns the slope for each millisecond, and its standard error */
function fit(points: readonly Point[]): { slope: number; error: number } {
  const count = points.length
  if (count < windowsMin) return { slope: 0, error: 0 }
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs, 0) / count
  const meanValue = points.reduce((sum, { value }) => sum + value, 0) / count
  const spread = points.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0)
  const slope = points.reduce((sum, { atMs, value }) => sum + (atMs - meanAt) * (value - meanValue), 0) / spread
  const rest = points.reduce((sum, { atMs, value }) => sum + (value - meanValue - slope * (atMs - meanAt)) ** 2, 0)
  return { slope, error: Math.sqrt(rest / (count - 2) / spread) }
}

const rounded = (value: number): number => Math.round(value * 100) / 100
