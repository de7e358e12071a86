// A clock that all processes of this host share, and that nobody sets.

const nsInMs = 1e6

export function hostMs(): number {
  return Number(process.hrtime.bigint()) / nsInMs
}
